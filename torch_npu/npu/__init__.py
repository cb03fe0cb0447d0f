"""torch.npu: devices, streams, events, memory, random numbers. The counterpart of torch.cuda.

Every function starts the devices when it needs them; importing does not.
"""

from torch_npu._C import is_in_bad_fork as _is_in_bad_fork
from torch_npu.npu import _exit, amp, config, memory, random, streams
from torch_npu.npu._start import _lazy_call, _lazy_init, init, is_initialized
from torch_npu.npu.amp import (
    get_amp_supported_dtype,
    get_autocast_dtype,
    is_autocast_enabled,
    set_autocast_dtype,
    set_autocast_enabled,
)
from torch_npu.npu.config import conv, is_bf16_supported, is_jit_compile_false, matmul, set_compile_mode, set_option
from torch_npu.npu.device import (
    can_device_access_peer,
    current_device,
    device,
    device_count,
    device_of,
    exchange_device,
    get_device_capability,
    get_device_name,
    get_device_properties,
    is_available,
    maybe_exchange_device,
    set_device,
    synchronize,
    utilization,
)
from torch_npu.npu.graphed_callables import make_graphed_callables
from torch_npu.npu.graphs import NPUGraph, graph, graph_pool_handle, is_current_stream_capturing
from torch_npu.npu.linear import linear
from torch_npu.npu.memory import (
    caching_allocator_alloc,
    caching_allocator_delete,
    empty_cache,
    get_allocator_backend,
    ipc_collect,
    max_memory_allocated,
    max_memory_cached,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_cached,
    memory_reserved,
    memory_snapshot,
    memory_stats,
    memory_stats_as_nested_dict,
    memory_summary,
    reset_accumulated_memory_stats,
    reset_max_memory_allocated,
    reset_max_memory_cached,
    reset_peak_memory_stats,
    set_per_process_memory_fraction,
)
from torch_npu.npu.mstx import mstx
from torch_npu.npu.random import (
    get_rng_state,
    get_rng_state_all,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)
from torch_npu.npu.streams import (
    Event,
    ExternalStream,
    Stream,
    StreamContext,
    current_stream,
    default_stream,
    set_stream,
    stream,
)
from torch_npu.npu.sync_debug import get_sync_debug_mode, set_sync_debug_mode
from torch_npu.npu.tensor_types import (
    BFloat16Tensor,
    BoolTensor,
    ByteTensor,
    CharTensor,
    DoubleTensor,
    FloatTensor,
    HalfTensor,
    IntTensor,
    LongTensor,
    ShortTensor,
)

default_generators = random.default_generators


def __getattr__(name: str) -> bool:
    # torch.utils.checkpoint reads it as other device modules have it: a variable that turns true with the start.
    if name == "_initialized":
        return is_initialized()
    raise AttributeError(f"module 'torch_npu.npu' has no attribute '{name}'")
