// libhccl.so: collective communication; nothing but the name yet.
extern "C" __attribute__((visibility("default"))) const char embedded_cann_hccl[] = "empty";
