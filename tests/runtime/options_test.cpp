// The option table: what is taken, what is refused, and in which words.
#include "cann/base/options.h"

#include <gtest/gtest.h>

namespace cann {
namespace {

Options good(const Environment& environment) {
  Result<Options> options = read_options(environment);
  EXPECT_TRUE(options.ok()) << options.status().message();
  return options.ok() ? *options : Options();
}

std::string refusal(const Environment& environment) {
  Result<Options> options = read_options(environment);
  EXPECT_FALSE(options.ok());
  return options.ok() ? "" : options.status().message();
}

TEST(Options, HaveStandardValues) {
  const Options options = good({{"PATH", "/bin"}});
  EXPECT_EQ(options.devices, 1);
  EXPECT_EQ(options.visible, std::vector<int>{0});
  EXPECT_EQ(options.soc_name, "Ascend910B2");
  EXPECT_GE(options.threads, 1);
  EXPECT_GT(options.memory_bytes, 0);
  EXPECT_FALSE(options.guard);
}

TEST(Options, TakeWhatTheManualSays) {
  const Options options = good({{"NPU_EMBEDDED_DEVICES", "4"},
                                {"NPU_EMBEDDED_MEMORY", "1.5GiB"},
                                {"NPU_EMBEDDED_SOC_NAME", "Ascend950"},
                                {"NPU_EMBEDDED_THREADS", "3"},
                                {"NPU_EMBEDDED_ISA", "v3"},
                                {"NPU_EMBEDDED_GUARD", "1"},
                                {"ASCEND_LAUNCH_BLOCKING", "1"},
                                {"ASCEND_RT_VISIBLE_DEVICES", "1,3"}});
  EXPECT_EQ(options.devices, 4);
  EXPECT_EQ(options.memory_bytes, int64_t{3} << 29);
  EXPECT_EQ(options.soc_name, "Ascend950");
  EXPECT_EQ(options.threads, 3);
  EXPECT_EQ(options.isa, "v3");
  EXPECT_TRUE(options.guard);
  EXPECT_TRUE(options.launch_blocking);
  EXPECT_EQ(options.visible, (std::vector<int>{1, 3}));
}

TEST(Options, AMisspeltNameIsRefusedWithTheNearestOne) {
  EXPECT_EQ(refusal({{"NPU_EMBEDDED_DEVICE", "2"}})
                .find("environment: NPU_EMBEDDED_DEVICE is not an option; did you mean NPU_EMBEDDED_DEVICES?"),
            0u);
  EXPECT_NE(refusal({{"NPU_EMBEDDED_MEMROY", "2G"}}).find("did you mean NPU_EMBEDDED_MEMORY?"), std::string::npos);
}

TEST(Options, AMalformedValueIsRefusedWithWhatIsNeeded) {
  EXPECT_EQ(refusal({{"NPU_EMBEDDED_DEVICES", "two"}}),
            "NPU_EMBEDDED_DEVICES='two': needs a whole number from 1 to 64");
  EXPECT_EQ(refusal({{"NPU_EMBEDDED_DEVICES", "0"}}), "NPU_EMBEDDED_DEVICES='0': needs a whole number from 1 to 64");
  EXPECT_EQ(refusal({{"NPU_EMBEDDED_DEVICES", "2x"}}), "NPU_EMBEDDED_DEVICES='2x': needs a whole number from 1 to 64");
  EXPECT_EQ(refusal({{"NPU_EMBEDDED_MEMORY", "lots"}}),
            "NPU_EMBEDDED_MEMORY='lots': needs at least 1M, such as 512M or 8G");
  EXPECT_EQ(refusal({{"NPU_EMBEDDED_GUARD", "yes"}}), "NPU_EMBEDDED_GUARD='yes': needs 0 or 1");
  EXPECT_EQ(refusal({{"NPU_EMBEDDED_ISA", "avx2"}}), "NPU_EMBEDDED_ISA='avx2': needs v2, v3 or v4");
  EXPECT_EQ(refusal({{"NPU_EMBEDDED_SOC_NAME", ""}}), "NPU_EMBEDDED_SOC_NAME='': needs a name such as Ascend910B2");
}

TEST(Options, VisibleDevicesEndAtTheFirstBadNumber) {
  const auto visible = [](const char* value) {
    return good({{"NPU_EMBEDDED_DEVICES", "4"}, {"ASCEND_RT_VISIBLE_DEVICES", value}}).visible;
  };
  EXPECT_EQ(visible("0,2,3"), (std::vector<int>{0, 2, 3}));
  EXPECT_EQ(visible(""), std::vector<int>{});
  EXPECT_EQ(visible("0,9,1"), std::vector<int>{0});
  EXPECT_EQ(visible("2,1"), std::vector<int>{2});
  EXPECT_EQ(visible("0,x"), std::vector<int>{0});
}

TEST(Options, BytesHaveUnits) {
  EXPECT_EQ(parse_bytes("1048576"), 1 << 20);
  EXPECT_EQ(parse_bytes("512M"), 512 << 20);
  EXPECT_EQ(parse_bytes("2k"), 2048);
  EXPECT_EQ(parse_bytes("1TB"), int64_t{1} << 40);
  for (const char* bad : {"", "G", "-1", "1X", "1GG", "nan", "1e300G"}) EXPECT_EQ(parse_bytes(bad), -1) << bad;
}

}  // namespace
}  // namespace cann
