#include "data/data_address.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace convoy;
using Catch::Matchers::Contains;

namespace {

const std::string hash(64, 'a');

std::string request_of(const std::string& address, std::uint64_t offset = 0, const std::string& token = {}) {
    return DataAddress(address).request(offset, token);
}

}  // namespace

TEST_CASE("an http address is asked for as it is, without its hash") {
    const DataAddress address("HTTPS://host.example:8443/a%20b/x.npy?release=9#sha256=" + hash + "&bytes=12");
    CHECK(address.shown() == "https://host.example:8443/a%20b/x.npy");
    CHECK(address.text() == "https://host.example:8443/a%20b/x.npy?release=9");
    CHECK(address.request(0) == "https://host.example:8443/a%20b/x.npy?release=9");
    CHECK(address.file_name() == "x.npy");
    CHECK(address.identity() == FileIdentity{.bytes = 12, .digest = {HashKind::sha256, hash}});
    CHECK_FALSE(address.has_offset_in_address());
    CHECK_FALSE(DataAddress("http://host").identity());
    CHECK(request_of("http://host") == "http://host/");
    CHECK(request_of("http://[::1]:80/x") == "http://[::1]:80/x");
}

TEST_CASE("a webhdfs address is that of the REST service") {
    CHECK(request_of("webhdfs://namenode:9870/data/x.npy?user.name=lab") ==
          "http://namenode:9870/webhdfs/v1/data/x.npy?op=OPEN&user.name=lab");
    CHECK(request_of("webhdfs://namenode:9870/data/x.npy", 4096) ==
          "http://namenode:9870/webhdfs/v1/data/x.npy?op=OPEN&offset=4096");
    CHECK(request_of("swebhdfs://namenode:9871/x?user.name=lab", 1, "t") ==
          "https://namenode:9871/webhdfs/v1/x?op=OPEN&offset=1&user.name=lab&delegation=t");
    CHECK(DataAddress("webhdfs://namenode:9870/x?user.name=lab").shown() == "webhdfs://namenode:9870/x");
    CHECK(DataAddress("webhdfs://namenode:9870/x").has_offset_in_address());
    // It cannot leave the service.
    CHECK(request_of("webhdfs://namenode/../../jmx") == "http://namenode/webhdfs/v1/jmx?op=OPEN");
}

TEST_CASE("a file in the folder of an address keeps the address's query") {
    for (const auto* folder :
         {"webhdfs://h:9870/mnist?user.name=lab", "webhdfs://h:9870/mnist/?user.name=lab"}) {
        const auto file = DataAddress(folder).file("a.gz");
        CHECK(file.text() == "webhdfs://h:9870/mnist/a.gz?user.name=lab");
        CHECK(file.request(0) == "http://h:9870/webhdfs/v1/mnist/a.gz?op=OPEN&user.name=lab");
    }
}

TEST_CASE("an address that convoy cannot or should not fetch from is refused") {
    const auto refuse = [](const std::string& address, const std::string& why) {
        CAPTURE(address);
        CHECK_THROWS_WITH(DataAddress(address), Contains(why));
        CHECK_THROWS_AS(DataAddress(address), DataError);
    };
    refuse("", "is no address");
    refuse("x.npy", "is no address");
    refuse("file:///etc/passwd", "cannot fetch by file");
    refuse("ftp://host/x", "cannot fetch by ftp");
    refuse("hdfs://namenode:8020/x", "webhdfs://NAMENODE:9870/PATH");
    refuse("http://host:99999/x", "cannot be read as an address");
    refuse("http://h%aa/x", "no host of letters");
    refuse("http://h%2Fother/x", "");
    refuse("http://h%0d%0aX/x", "");
    refuse("http://host:x/x", "cannot be read as an address");
    refuse("http://ho st/x", "without blanks");
    refuse("http://host/x\r\nHost: other", "without blanks");
    refuse("http://host/\xc3\xa9", "of ASCII");
    refuse("http://host/" + std::string(2048, 'x'), "1 to 2048 characters");
    CHECK_NOTHROW(DataAddress("http://host/" + std::string(2048 - 12, 'x')));
    refuse("webhdfs://h/x?op=DELETE", "has op");
    refuse("webhdfs://h/x?user.name=lab&OFFSET=3", "has offset");
    refuse("webhdfs://h/x?length=3", "has length");
    refuse("http://h/x#" + hash, "expected #sha256=HEX");
    refuse("http://h/x#sha256=" + hash.substr(1), "expected #sha256=HEX");
    refuse("http://h/x#sha256=" + std::string(64, 'A'), "expected #sha256=HEX");
    refuse("http://h/x#sha256=" + hash + "&sha256=" + hash, "expected #sha256=HEX");
    refuse("http://h/x#sha256=" + hash + "&bytes=-1", "expected #sha256=HEX");
    refuse("http://h/x#sha256=" + hash + "&bytes=18446744073709551616", "expected #sha256=HEX");
    refuse("http://h/x#bytes=3", "needs a hash");
}

TEST_CASE("credentials in an address are refused and not shown") {
    for (const std::string& address :
         {std::string("http://lab:s3cret@host/x"), std::string("webhdfs://s3cret@host/x"),
          std::string("https://host/x?token=s3cret"), std::string("https://host/x?a=b&access_token=s3cret"),
          std::string("https://host/x?X-Amz-Signature=s3cret"), std::string("https://host/x?sig=s3cret"),
          std::string("https://host/x?apiKey=s3cret"), std::string("https://host/x?PASSWORD=s3cret"),
          std::string("webhdfs://host/x?delegation=s3cret")}) {
        CAPTURE(address);
        CHECK_THROWS_WITH(DataAddress(address), Contains("would be in each result") && !Contains("s3cret"));
        CHECK_THROWS_AS(DataAddress(address), DataError);
    }
    CHECK_NOTHROW(DataAddress("https://host/x?design=1&monkey=2&user.name=lab"));
}
