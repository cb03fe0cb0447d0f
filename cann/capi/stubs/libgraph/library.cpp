// libgraph.so: nothing but the name, which the genuine adapter links.
extern "C" __attribute__((visibility("default"))) const char embedded_cann_graph[] = "empty";
