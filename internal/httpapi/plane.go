package httpapi

import "math"

// turns is the number of iterations with which a direction is found.
const turns = 40

// plane projects vectors of equal length to a plane and keeps as much of their
// distances as possible, by principal component analysis (Pearson, 1901) with
// power iteration. Coordinates lie between -1 and 1. The same vectors give the
// same result. For fewer than three vectors there is none.
func plane(vectors [][]float64) [][2]float64 {
	if len(vectors) < 3 {
		return nil
	}
	dims := len(vectors[0])
	mean := make([]float64, dims)
	for _, v := range vectors {
		for i, x := range v {
			mean[i] += x / float64(len(vectors))
		}
	}
	rest := make([][]float64, len(vectors))
	for n, v := range vectors {
		rest[n] = make([]float64, dims)
		for i, x := range v {
			rest[n][i] = x - mean[i]
		}
	}
	points := make([][2]float64, len(vectors))
	for axis := range 2 {
		direction := component(rest, axis)
		most := 0.0
		for n, v := range rest {
			at := dot(v, direction)
			points[n][axis] = at
			most = max(most, math.Abs(at))
			for i := range v {
				v[i] -= at * direction[i]
			}
		}
		for n := range points {
			if most > 1e-9 {
				points[n][axis] /= most
			} else {
				points[n][axis] = 0
			}
		}
	}
	return points
}

// component returns the direction in which vectors spread most; zero when they do not.
func component(vectors [][]float64, seed int) []float64 {
	direction := make([]float64, len(vectors[0]))
	for i := range direction {
		direction[i] = math.Sin(float64(i*(seed+3) + 1)) // a start that is hardly at right angles to the result
	}
	for range turns {
		next := make([]float64, len(direction))
		for _, v := range vectors {
			d := dot(v, direction)
			for i, x := range v {
				next[i] += d * x
			}
		}
		if dot(next, next) < 1e-18 {
			return make([]float64, len(direction))
		}
		direction = normal(next)
	}
	return direction
}

// normal returns a vector of length 1 in the direction of v; zero stays.
func normal(v []float64) []float64 {
	length := math.Sqrt(dot(v, v))
	out := make([]float64, len(v))
	if length > 0 {
		for i, x := range v {
			out[i] = x / length
		}
	}
	return out
}

func dot(a, b []float64) (sum float64) {
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}
