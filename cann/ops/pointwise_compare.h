// Comparisons, logic and bits: pointwise_compare.yaml's rows need nothing beyond pointwise.h.
#pragma once

#include "cann/ops/pointwise.h"
