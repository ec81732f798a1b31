package sqlstore

import (
	"math"
	"testing"
)

// TestBucketsAreStretchesOfTheOrder whatever the numbers, times and ids.
func TestBucketsAreStretchesOfTheOrder(t *testing.T) {
	t.Parallel()
	numbers := []float64{
		-math.MaxFloat64, -1e300, -1 << 53, -1025, -1024, -3, -2.5, -2, -1.984375, -1, -0.5, -0.1, -math.SmallestNonzeroFloat64, 0,
		math.SmallestNonzeroFloat64, 1e-300, 0.1, 0.5, 1, 1.015625, 1.9999999999999998, 2, 3, 63, 64, 65, 1023, 1024, 1e15, 1e300, math.MaxFloat64,
	}
	for i, n := range numbers {
		expectWithin(t, textSlots, n)
		if i > 0 && NumberBucket(n) < NumberBucket(numbers[i-1]) {
			t.Errorf("%g comes before %g", n, numbers[i-1])
		}
	}
	if NumberBucket(math.Copysign(0, -1)) != NumberBucket(0) {
		t.Error("there are two zeros")
	}
	for _, n := range []int64{-62135596800000, -1 << 30, -1, 0, 1, 1<<30 - 1, 1 << 30, 253402300799999} {
		expectWithin(t, placeCreatedAt, n)
		expectWithin(t, placeID, n)
	}
}

func expectWithin[T float64 | int64](t *testing.T, place int, value T) {
	t.Helper()
	bucket := bucketOf(place, value)
	least, next := boundOf(place, bucket).(T), boundOf(place, bucket+1).(T) //nolint:errcheck,forcetypeassert // as it came
	if value < least || value >= next {
		t.Errorf("%v is in bucket %d, from %v to %v", value, bucket, least, next)
	}
}
