// libacl_op_compiler.so: aclSetCompileopt, aclrtGetSysParamOpt and aclop* stand in libascendcl, which this library
// needs; a look-up by name in this library finds them there.
extern "C" __attribute__((visibility("default"))) const char embedded_cann_acl_op_compiler[] =
    "forwards to libascendcl";
