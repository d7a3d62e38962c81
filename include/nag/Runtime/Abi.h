/*===- Abi.h - How compiled entries are called ---------------------------------------------*- C -*-===*\
|*                                                                                                    *|
|* Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.                      *|
|* See LICENSE for license information.                                                               *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                                            *|
|*                                                                                                    *|
\*===----------------------------------------------------------------------------------------------===*/

/* The calling convention of compiled entries, in plain C (C99 and C++): descriptors, status codes, the packed form.
 *
 * An entry of the source
 *
 *     func.func @update(%R: memref<?x4096xbf16, strided<[?, 1], offset: ?>>, ..., %ws: memref<?xi8>, %s: !llvm.ptr)
 *         -> i32
 *
 * is the C function
 *
 *     int32_t update(const nag_memref_2d *R, ..., const nag_memref_1d *workspace, void *stream);
 *
 * Inputs come first, then one destination for each result, then the workspace, then the stream (null on the CPU). An
 * entry allocates nothing and waits for nothing, and checks its arguments before it touches any data.
 *
 * Beside it stands the packed form, the same for all entries:
 *
 *     int32_t update_packed(void *const *args);
 *
 * where args[i] is argument i: the descriptor's address for a buffer, the stream itself for the stream, and the address
 * of the value for a number. A generic caller needs no other signature.
 */

#ifndef NAG_RUNTIME_ABI_H
#define NAG_RUNTIME_ABI_H

#include <stdint.h>

/* Raised when a compiled entry of before can no longer be called by a caller of after. */
#define NAG_ABI_VERSION 1

/* ---- Descriptors ------------------------------------------------------------------------------------------------
 * Element (i, j, ...) lies at aligned[offset + i*strides[0] + j*strides[1] + ...], counted in elements. `allocated` is
 * what the owner would free; entries do not read it. Sizes and strides are in elements, 64 bit, strides may be 0 for
 * inputs. Each structure has a guard of its own, so that a generated header may define it too. */

#ifndef NAG_MEMREF_0D_DEFINED
#define NAG_MEMREF_0D_DEFINED
typedef struct nag_memref_0d {
  void *allocated;
  void *aligned;
  int64_t offset;
} nag_memref_0d;
#endif

#define NAG_DEFINE_MEMREF(N)                                                                                           \
  typedef struct nag_memref_##N##d {                                                                                   \
    void *allocated;                                                                                                   \
    void *aligned;                                                                                                     \
    int64_t offset;                                                                                                    \
    int64_t sizes[N];                                                                                                  \
    int64_t strides[N];                                                                                                \
  } nag_memref_##N##d

#ifndef NAG_MEMREF_1D_DEFINED
#define NAG_MEMREF_1D_DEFINED
NAG_DEFINE_MEMREF(1);
#endif
#ifndef NAG_MEMREF_2D_DEFINED
#define NAG_MEMREF_2D_DEFINED
NAG_DEFINE_MEMREF(2);
#endif
#ifndef NAG_MEMREF_3D_DEFINED
#define NAG_MEMREF_3D_DEFINED
NAG_DEFINE_MEMREF(3);
#endif
#ifndef NAG_MEMREF_4D_DEFINED
#define NAG_MEMREF_4D_DEFINED
NAG_DEFINE_MEMREF(4);
#endif
#ifndef NAG_MEMREF_5D_DEFINED
#define NAG_MEMREF_5D_DEFINED
NAG_DEFINE_MEMREF(5);
#endif
#ifndef NAG_MEMREF_6D_DEFINED
#define NAG_MEMREF_6D_DEFINED
NAG_DEFINE_MEMREF(6);
#endif

/* ---- Status -----------------------------------------------------------------------------------------------------
 * 0, or (kind << 16) | (argument << 8) | dimension: what is wrong with which argument, both counted from 0. A function
 * that returns int64_t, such as a workspace size, returns the negated status instead. For NAG_STATUS_DEVICE the low 16
 * bits are the error number of the device's driver. */

#define NAG_STATUS_OK 0
/* A size is negative, or differs from what the entry was compiled for, or from the same size of another argument. */
#define NAG_STATUS_SIZE 1
/* The elements of a row are not neighbours, or the rows of a destination lie on each other: their stride is smaller
 * than a row. Inputs may have any stride of rows, 0 and negative ones included. */
#define NAG_STATUS_STRIDE 2
/* A descriptor, or the data of a buffer that is not empty, is null. */
#define NAG_STATUS_NULL 3
/* The workspace is smaller than the workspace-size function says. */
#define NAG_STATUS_WORKSPACE 4
/* The device or its driver refused. */
#define NAG_STATUS_DEVICE 5
/* More rows than the target can index or launch. */
#define NAG_STATUS_TOO_MANY_ROWS 6
/* Data is not aligned as the entry was compiled for. */
#define NAG_STATUS_ALIGNMENT 7
/* A destination, or the workspace, shares bytes with another argument, and is not the very same buffer where the entry
 * can compute in place. The status names what is written, and in the place of the dimension the other argument. */
#define NAG_STATUS_OVERLAP 8

/* Stands for "no particular argument" or "no particular dimension". */
#define NAG_STATUS_NONE 255

#define NAG_STATUS_MAKE(kind, arg, dim) ((int32_t)(((kind) << 16) | ((arg) << 8) | (dim)))
#define NAG_STATUS_KIND(status) (((status) >> 16) & 0x7fff)
#define NAG_STATUS_ARG(status) (((status) >> 8) & 0xff)
#define NAG_STATUS_DIM(status) ((status) & 0xff)
#define NAG_STATUS_DEVICE_CODE(status) ((status) & 0xffff)

#endif /* NAG_RUNTIME_ABI_H */
