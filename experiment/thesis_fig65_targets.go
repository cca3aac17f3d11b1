package experiment

import (
	"fmt"
	"math"
)

// checkImages is M1 to M6, by the means over the splits on the test part. Where the
// thesis says "comparable" or "almost as fast", what counts as such is said here.
func (r *Result) checkImages(k int, picks []*pick) {
	inc, m, capped := find(picks, incremental.name), find(picks, msg.name), find(picks, cappedMSG.name)
	wk, g := find(picks, warmuthKuzmin.name), find(picks, grouse.name)
	where := fmt.Sprintf("k=%d: ", k)
	all := func(f func(*pick) float64) string {
		return fmt.Sprintf("incremental %.3g, MSG %.3g, capped %.3g, W&K %.3g, GROUSE %.3g", f(inc), f(m), f(capped), f(wk), f(g))
	}
	average := func(p *pick) float64 { return p.average(test) }
	last := func(p *pick) float64 { return p.last(test) }
	goal := 1.05 * max(last(inc), last(m), last(capped)) // what all three reach
	price := func(p *pick) float64 { return p.priceOf(goal, test) }
	others := min(average(m), average(capped), average(wk), average(g))
	prices := fmt.Sprintf("at %.2g: ", goal) + all(price)

	r.check("M1", where+"incremental makes the most progress per iteration", "least mean suboptimality", average(inc) <= others, "%s", all(average))
	r.check("M1", where+"incremental is the fastest", "least run time to the same suboptimality",
		price(inc) <= min(price(m), price(capped), price(wk), price(g)), "%s", prices)
	r.check("M2", where+"MSG is comparable to incremental per iteration", "mean suboptimality within a factor 2",
		average(m) <= 2*average(inc), "incremental %.3g, MSG %.3g", average(inc), average(m))
	r.check("M2", where+"MSG is slower in run time, as its k' is slightly larger than k", "more run time, mean k' above k",
		price(m) > price(inc) && m.meanRank() > float64(k), "%s; k' %.3g", prices, m.meanRank())
	r.check("M3", where+"capped MSG is much faster than MSG, almost as fast as incremental", "less run time than MSG, at most 3 times incremental's",
		price(capped) < price(m) && price(inc) <= price(capped) && price(capped) <= 3*price(inc), "%s", prices)
	if k == 1 {
		r.check("M4", where+"W&K is good", "suboptimality at the end within twice MSG's", last(wk) <= 2*last(m), "W&K %.3g, MSG %.3g", last(wk), last(m))
	} else {
		r.check("M4", where+"W&K is worse, and its k' exceeds MSG's", "suboptimality at the end and mean k' above MSG's",
			last(wk) > last(m) && wk.meanRank() > m.meanRank(), "%.3g against %.3g, k' %.3g against %.3g", last(wk), last(m), wk.meanRank(), m.meanRank())
		r.check("M5", where+"GROUSE is better than W&K but much worse than MSG and capped MSG", "MSG and capped below GROUSE below W&K at the end",
			max(last(m), last(capped)) < last(g) && last(g) < last(wk), "%s", all(last))
	}
	r.check("M6", where+"capped MSG is nearly as good as incremental where that shines", "incremental at most 1.5 times capped MSG, capped at most 1.5 times incremental, at the end",
		last(inc) <= 1.5*last(capped) && last(capped) <= 1.5*last(inc), "incremental %.3g, capped %.3g", last(inc), last(capped))
	if worst := r.stuck(capped, inc); worst != "" {
		r.check("M6", where+"capped MSG is not stuck on any split", "no split ends above 3 times the mean", !math.IsNaN(last(capped)) && capped.share(func(t *trace) bool { return t.last(test) > 3*last(capped) }) == 0, "%s", worst)
	}
}

// stuck says how the splits scatter.
func (r *Result) stuck(capped, inc *pick) string {
	worst := func(p *pick) (w float64) {
		for _, t := range p.traces {
			w = max(w, t.last(test))
		}
		return w
	}
	return fmt.Sprintf("worst split: capped %.3g, incremental %.3g", worst(capped), worst(inc))
}
