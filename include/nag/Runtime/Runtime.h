/*===- Runtime.h - What compiled entries call to launch kernels -----------------------------*- C -*-===*\
|*                                                                                                    *|
|* Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.                      *|
|* See LICENSE for license information.                                                               *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                                            *|
|*                                                                                                    *|
\*===----------------------------------------------------------------------------------------------===*/

/* The run-time library under entries of GPU targets, in plain C: launching kernels by the CUDA driver or by another
 * back end, error texts, devices.
 *
 * A program need not call any of it: entries do. It may want NAME_prepare(), which every entry of a GPU target has, and
 * nag_last_error().
 *
 * The CUDA driver is loaded when the first kernel is launched or prepared, never before, and never linked. It is
 * libcuda.so.1 as the dynamic loader finds it, or the file that the environment variable NAG_CUDA_DRIVER names. All
 * functions may be called by several threads at once. */

#ifndef NAG_RUNTIME_RUNTIME_H
#define NAG_RUNTIME_RUNTIME_H

#include "nag/Runtime/Abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Modules ----------------------------------------------------------------------------------------------------
 * What the compiler writes into an entry's code. */

typedef struct nag_kernel {
  const char *name;
  /* One character for each parameter: 'p' for a pointer to data, '1', '2', '4', '8' for a number of that many bytes. A
   * buffer is "pp8" and "8" for each of its sizes, then strides: the members of its descriptor. */
  const char *params;
} nag_kernel;

typedef struct nag_gpu_module {
  uint32_t abi_version; /* NAG_ABI_VERSION */
  uint32_t num_kernels;
  const nag_kernel *kernels;
  /* Fat binary, cubin, or PTX text with a zero byte after it. */
  const void *image;
  uint64_t image_size;
  /* The back end's own; null at first. */
  void *cache;
} nag_gpu_module;

/* ---- Launching --------------------------------------------------------------------------------------------------
 * All of these return a status (Abi.h). */

/* Launches a kernel on `stream` and waits for nothing. params[i] is the address of parameter i. The kernel runs in the
 * context of the stream; without a stream in the current context; without either in the primary context of device 0.
 * The current context stays what it was. The first launch in a context loads the module into it. A grid without blocks
 * is no launch. */
int32_t nag_launch(nag_gpu_module *module, int32_t kernel, int64_t grid_x, int64_t grid_y, int64_t grid_z,
                   int32_t block_x, int32_t block_y, int32_t block_z, int32_t dynamic_shared, void *stream,
                   void **params);

/* The same for a kernel whose blocks go from row to row: of the grid's first dimension it launches as many blocks as
 * the device holds at once, if they are fewer. */
int32_t nag_launch_persistent(nag_gpu_module *module, int32_t kernel, int64_t grid_x, int64_t grid_y, int64_t grid_z,
                              int32_t block_x, int32_t block_y, int32_t block_z, int32_t dynamic_shared, void *stream,
                              void **params);

/* Loads the module and all its kernels into the current context, or into the primary context of device 0 where there is
 * none. To be called before a stream is captured: loading is not allowed within. */
int32_t nag_prepare(nag_gpu_module *module);

/* Unloads the module from every context that still exists; the next launch loads it again. No kernel of it may be
 * running or be part of a graph. */
int32_t nag_release(nag_gpu_module *module);

/* What went wrong in the last call by this thread that returned a status other than 0; "" if none did. Valid until the
 * thread's next such call. */
const char *nag_last_error(void);

/* For NAG_STATUS_DEVICE, where NAG_STATUS_DEVICE_CODE is not an error number of the driver: */
#define NAG_DEVICE_NO_DRIVER 0xffff  /* there is no driver, or it lacks a function */
#define NAG_DEVICE_BAD_MODULE 0xfffe /* the module has no image, or was written for another version of this library */

/* ---- Back ends --------------------------------------------------------------------------------------------------
 * Another way to run kernels than the CUDA driver: a simulator, or a test that looks at what arrives. */

typedef struct nag_kernel_launch {
  nag_gpu_module *module;
  const nag_kernel *kernel;
  int64_t grid[3];
  int32_t block[3];
  int32_t dynamic_shared;
  void *stream;
  void **params;
  int32_t num_params;
  /* Whether grid[0] is the most blocks that have work, of which as many are to be launched as the device holds at once.
   */
  int32_t is_persistent;
} nag_kernel_launch;

typedef struct nag_backend {
  /* Launches of a grid without blocks, or with more than a GPU can have, do not come here. Returns a status. */
  int32_t (*launch)(void *self, const nag_kernel_launch *launch);
  /* May be null: there is nothing to do ahead, or afterwards. */
  int32_t (*prepare)(void *self, nag_gpu_module *module);
  int32_t (*release)(void *self, nag_gpu_module *module);
  void *self;
} nag_backend;

/* Makes `backend`, which must stay as it is while it is set, serve all launches of this process; null is the CUDA
 * driver. Returns the one before. A module must be released before another back end gets it. */
const nag_backend *nag_set_backend(const nag_backend *backend);

/* Sets the text of nag_last_error for this thread; for back ends. */
void nag_set_last_error(const char *text);

/* ---- Devices ----------------------------------------------------------------------------------------------------
 * These load the CUDA driver. */

typedef struct nag_device_info {
  char name[256];
  /* Compute capability: 9 and 0 for sm_90. */
  int32_t major, minor;
  int32_t multiprocessors;
  int64_t memory_bytes, l2_bytes;
} nag_device_info;

int32_t nag_device_count(int32_t *count);
int32_t nag_get_device_info(int32_t device, nag_device_info *info);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* NAG_RUNTIME_RUNTIME_H */
