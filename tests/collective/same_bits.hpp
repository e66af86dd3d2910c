#pragma once

#include <cstring>
#include <vector>

namespace convoy::test {

/// Whether two buffers are alike to the last bit, whatever numbers these make.
template <typename Element>
bool same_bits(const std::vector<Element>& a, const std::vector<Element>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Element)) == 0);
}

}  // namespace convoy::test
