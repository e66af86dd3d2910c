#pragma once

#include "base/environment_variable.hpp"
#include "base/temporary_folder.hpp"
