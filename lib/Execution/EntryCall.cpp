//===- EntryCall.cpp - Calls a compiled entry by its packed form --------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Packs arguments for an entry and decodes its status.

#include "EntryCall.h"

#include "nag/Runtime/Abi.h"
#include "nag/Target/CPU/Entries.h"

#include "llvm/Support/raw_ostream.h"

using namespace nag;

llvm::Error EntryCall::find(llvm::StringRef name, CpuKernels &kernels) {
  auto lookUp = [&](auto &function, const llvm::Twine &of) -> llvm::Error {
    std::string symbol = (of + kPackedSuffix).str();
    function = reinterpret_cast<std::decay_t<decltype(function)>>(kernels.lookup(symbol));
    return function ? llvm::Error::success()
                    : llvm::createStringError("the compiled module lacks the symbol '" + symbol + "'");
  };
  if (llvm::Error error = lookUp(entry, name))
    return error;
  return lookUp(workspaceSize, name + "_workspace_size");
}

llvm::Error EntryCall::run(llvm::MutableArrayRef<HostTensor> inputs, llvm::MutableArrayRef<HostTensor> outputs,
                           void *stream) {
  std::vector<std::vector<int64_t>> descriptors;
  for (HostTensor &tensor : inputs)
    descriptors.push_back(tensor.getDescriptor());
  for (HostTensor &tensor : outputs)
    descriptors.push_back(tensor.getDescriptor());
  std::vector<void *> packed;
  for (std::vector<int64_t> &descriptor : descriptors)
    packed.push_back(descriptor.data());

  int64_t bytes = workspaceSize(packed.data());
  if (bytes < 0)
    return llvm::createStringError(describeStatus(int32_t(-bytes), inputs.size(), outputs.size()));
  // The workspace is a tensor too, so that its guard bytes show what is written past the size that was asked for.
  constexpr int64_t kElementBytes = 2;
  int64_t elements = (bytes + kElementBytes - 1) / kElementBytes;
  if (workspace.getShape().empty() || workspace.getNumElements() != elements) {
    llvm::Expected<HostTensor> made = HostTensor::create(ElementType::BF16, {elements});
    if (!made)
      return made.takeError();
    workspace = std::move(*made);
  }
  std::vector<int64_t> workspaceDescriptor = workspace.getDescriptor();
  workspaceDescriptor[3] = bytes;
  packed.push_back(workspaceDescriptor.data());
  if (onWorkspace && bytes > 0)
    onWorkspace(workspace.getRow(0), static_cast<uint64_t>(bytes));
  packed.push_back(stream);

  if (int32_t status = entry(packed.data()))
    return llvm::createStringError(describeStatus(status, inputs.size(), outputs.size()));
  if (llvm::Error error = workspace.checkGuards())
    return llvm::createStringError("workspace: " + llvm::toString(std::move(error)));
  return llvm::Error::success();
}

std::string nag::describeStatus(int32_t status, size_t inputs, size_t outputs) {
  std::string text;
  llvm::raw_string_ostream os(text);
  unsigned kind = unsigned(NAG_STATUS_KIND(status));
  if (kind == NAG_STATUS_DEVICE) {
    os << "the device or its driver refused with error " << NAG_STATUS_DEVICE_CODE(status);
    return text;
  }
  unsigned argument = unsigned(NAG_STATUS_ARG(status)), dimension = unsigned(NAG_STATUS_DIM(status));
  if (argument < inputs)
    os << "argument " << argument << ": ";
  else if (argument < inputs + outputs)
    os << "result " << argument - inputs << ": ";
  else if (argument == inputs + outputs)
    os << "workspace: ";
  switch (kind) {
  case NAG_STATUS_SIZE:
    os << "the size differs from the one that the entry was compiled for, or from that of another argument, or is "
          "negative";
    break;
  case NAG_STATUS_STRIDE:
    os << "the stride is not the one that the entry was compiled for: elements of a row must be neighbours, and rows "
          "of a "
          "result apart";
    break;
  case NAG_STATUS_NULL:
    os << "the descriptor or its data is null";
    break;
  case NAG_STATUS_WORKSPACE:
    os << "the workspace is smaller than the entry asks for";
    break;
  case NAG_STATUS_TOO_MANY_ROWS:
    os << "more rows than the target can index";
    break;
  case NAG_STATUS_ALIGNMENT:
    os << "the data is not aligned as the entry was compiled for";
    break;
  case NAG_STATUS_OVERLAP:
    os << "what is written overlaps ";
    if (dimension < inputs)
      os << "argument " << dimension;
    else if (dimension < inputs + outputs)
      os << "result " << dimension - inputs;
    else
      os << "another argument";
    return text;
  default:
    os << "the entry returned the unknown status " << status;
    return text;
  }
  if (dimension != NAG_STATUS_NONE)
    os << " (dimension " << dimension << ")";
  return text;
}
