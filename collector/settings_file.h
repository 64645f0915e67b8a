/* SPDX-License-Identifier: Apache-2.0 */
/* Settings file: the settings as libconfig writes them.
 *
 * What it is   `server = "10.0.0.1:4041"; hz = 97; upload-deny = ["/opt/secret/x"];` The one file
 *              of the collector that includes libconfig.
 * Ownership    nothing is kept.
 * Threads      no shared state.
 * Errors       -ENOENT: no such file; -EINVAL: the fault says file, line and what is wrong.
 */
#pragma once

#include "collector/settings.h"

int settings_file_read(struct settings *settings, const char *path, struct settings_fault *fault);
