"""Modules that do their work by being imported. Importing torch_npu imports none of them."""
