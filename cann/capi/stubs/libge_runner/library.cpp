// libge_runner.so: nothing but the name yet, which the genuine adapter links.
extern "C" __attribute__((visibility("default"))) const char embedded_cann_ge_runner[] = "empty";
