package engine

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/model"
)

// mostModels is how many models are kept for further rows.
const mostModels = 8

// source names a model: by a key of the caller's, and by its bytes where the engine may not
// have it yet.
type source struct {
	Key   string `json:"key"`
	Bytes *Place `json:"bytes"`
}

// store keeps the models that were used last.
type store struct {
	room   int
	keys   []string
	models map[string]*model.Model
}

func newStore(room int) *store { return &store{room: room, models: map[string]*model.Model{}} }

// get returns the model of a key and makes it the one used last; nil: there is none.
func (s *store) get(key string) *model.Model {
	m := s.models[key]
	if m != nil {
		at := slices.Index(s.keys, key)
		s.keys = append(slices.Delete(s.keys, at, at+1), key)
	}
	return m
}

// put keeps a model, and drops the least recently used one where there is no room.
func (s *store) put(key string, m *model.Model) {
	if key == "" || s.get(key) != nil {
		return
	}
	if len(s.keys) == s.room {
		delete(s.models, s.keys[0])
		s.keys = slices.Delete(s.keys, 0, 1)
	}
	s.keys, s.models[key] = append(s.keys, key), m
}

// model returns the model that a request names.
func (r *request) model(from source) (*model.Model, error) {
	if m := r.models.get(from.Key); m != nil {
		return m, nil
	}
	if from.Bytes == nil {
		return nil, errUnknownModel
	}
	raw, err := numbers[byte](r.mapped, *from.Bytes)
	if err != nil {
		return nil, err
	}
	m, err := model.Decode(raw)
	if err != nil {
		return nil, err
	}
	r.models.put(from.Key, m)
	return m, nil
}

// modelAndSet returns the model and the rows that a request names.
func (r *request) modelAndSet(from source, d arrays) (*model.Model, *data.Set, error) {
	m, err := r.model(from)
	if err != nil {
		return nil, nil, err
	}
	set, err := d.of(m).set(r.ctx, r.mapped)
	return m, set, err
}

// of has the schema of a model make the features of a table.
func (d arrays) of(m *model.Model) arrays {
	if d.Table != nil {
		d.Table.Schema = m.Schema
	}
	return d
}

// pca returns the components that a request brings.
func (r *request) pca(from source) (*model.PCA, error) {
	if from.Bytes == nil {
		return nil, errors.New("found no components, expected their bytes")
	}
	raw, err := numbers[byte](r.mapped, *from.Bytes)
	if err != nil {
		return nil, err
	}
	return model.DecodePCA(raw)
}

// writeModel appends the file of a model to the memory.
func (r *request) writeModel(m interface{ Write(io.Writer) error }) (Place, error) {
	p, err := r.mapped.place(m.Write)
	if err != nil {
		err = fmt.Errorf("model: %w", err)
	}
	return p, err
}
