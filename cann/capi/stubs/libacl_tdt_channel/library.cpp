// libacl_tdt_channel.so: data channels between host and device; nothing but the name.
extern "C" __attribute__((visibility("default"))) const char embedded_cann_acl_tdt_channel[] = "empty";
