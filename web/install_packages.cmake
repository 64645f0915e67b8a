# SPDX-License-Identifier: Apache-2.0
# Installs the page's packages into WEB/node_modules, only if the lock file is not the one installed.
# Every preset shares that folder, so that two builds at once wait for each other.
#   cmake -DWEB=DIR -DNPM=PROGRAM -P install_packages.cmake

file(LOCK ${WEB}/node_modules.lock GUARD PROCESS TIMEOUT 600)
file(SHA256 ${WEB}/package-lock.json wanted)
set(installed "")
if(EXISTS ${WEB}/node_modules/.cairn-lock-sha256)
  file(READ ${WEB}/node_modules/.cairn-lock-sha256 installed)
endif()
if(NOT installed STREQUAL wanted)
  execute_process(COMMAND ${NPM} ci WORKING_DIRECTORY ${WEB} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "npm ci failed in web/: it needs the npm registry (npm config get registry). "
      "Without it, configure with -DCAIRN_WEB=OFF: the server then has no page.")
  endif()
  file(WRITE ${WEB}/node_modules/.cairn-lock-sha256 ${wanted})
endif()
