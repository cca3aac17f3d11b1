package exact

// walks is the random walk kernel of two rows of graphs: the sum of the solution of
// (I - lambda A)z = e, A being the adjacency matrix of the product graph, by elimination.
// The diagonal dominates every row, so that no pivots have to be sought.
func walks(x, y []float64, lambda float64) Number {
	a, labels := adjacency(Symbols(x))
	b, others := adjacency(Symbols(y))
	var pairs [][2]int
	for u, label := range labels {
		for v, other := range others {
			if label == other {
				pairs = append(pairs, [2]int{u, v})
			}
		}
	}
	system := make([][]Number, len(pairs))
	for i, p := range pairs {
		for _, q := range pairs {
			system[i] = append(system[i], Mul(Num(-lambda), Num(a[p[0]][q[0]]*b[p[1]][q[1]])))
		}
		system[i][i] = Add(system[i][i], Num(1))
		system[i] = append(system[i], Num(1))
	}
	total := Zero()
	for c := len(system) - 1; c >= 0; c-- {
		for i, row := range system {
			if i == c || row[c].Sign() == 0 {
				continue
			}
			factor := Quo(row[c], system[c][c])
			for j := range row {
				row[j] = Sub(row[j], Mul(factor, system[c][j]))
			}
		}
	}
	for i, row := range system {
		total = Add(total, Quo(row[len(system)], row[i]))
	}
	return total
}

// adjacency returns how many edges there are from each vertex of a graph to each, and the
// labels of the vertices.
func adjacency(row []float64) (edges [][]float64, labels []float64) {
	if len(row) == 0 {
		return nil, nil
	}
	m := int(row[0])
	edges, labels = make([][]float64, m), row[1:1+m]
	for u := range edges {
		edges[u] = make([]float64, m)
	}
	for ends := row[1+m:]; len(ends) > 0; ends = ends[2:] {
		u, v := int(ends[0])-1, int(ends[1])-1
		if edges[u][v]++; u != v {
			edges[v][u]++
		}
	}
	return edges, labels
}
