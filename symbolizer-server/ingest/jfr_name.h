/* SPDX-License-Identifier: Apache-2.0 */
/* JFR name: what a method of a recording is called.
 *
 * What it is   `class.method` as stack traces of Java have it, with dots between packages. What a JVM
 *              makes anew in each run (classes of lambdas, of reflection, of proxies) has a number or
 *              an address in its name: `_` stands for it, so that equal code has one name in every
 *              process. A class that is a path, or nothing, is that of native code and stays.
 * Ownership    values only.
 * Threads      any.
 * Errors       those of the writer.
 */
#pragma once

#include "store/base/bytes.h"
#include "symbolizer-server/ingest/ingest_batch.h"

void jfr_name_write(
	struct bytes_writer *writer, struct ingest_text class_name, struct ingest_text method);
