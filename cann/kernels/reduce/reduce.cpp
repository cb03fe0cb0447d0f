// Chooses the reducer of an operation.
#include "cann/kernels/reduce/reduce.h"

#include "cann/kernels/reduce/simple.h"

namespace cann::kernels::CANN_ISA {
namespace {

const Reducer* find(ReduceOp op, DType compute) {
  switch (op) {
    case ReduceOp::Sum:
    case ReduceOp::Mean:
    case ReduceOp::NanSum:
    case ReduceOp::Prod: return find_sum(op, compute);
    case ReduceOp::Max:
    case ReduceOp::Min: return find_extremum(op, compute);
    case ReduceOp::ArgMax:
    case ReduceOp::ArgMin: return find_arg(op, compute);
    case ReduceOp::Any:
    case ReduceOp::All:
    case ReduceOp::CountNonzero: return find_logic(op, compute);
    case ReduceOp::Norm1:
    case ReduceOp::Norm2:
    case ReduceOp::NormP:
    case ReduceOp::NormInf:
    case ReduceOp::NormMinusInf: return find_norm(op, compute);
    case ReduceOp::Var:
    case ReduceOp::Std:
    case ReduceOp::MeanOfVar: return find_moments(op, compute);
    case ReduceOp::LogSumExp: return find_logsumexp(op, compute);
  }
  return nullptr;
}

}  // namespace

extern const ReduceKernels reduce_table{find};

}  // namespace cann::kernels::CANN_ISA
