//===- SimtReport.cpp - What a run of GPU kernels on the CPU has shown --------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Prints findings and counts.

#include "nag/Target/SIMT/SimtReport.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace nag;
using namespace nag::simt;

const char *nag::getName(FindingKind kind) {
  switch (kind) {
  case FindingKind::OutOfBoundsRead:
    return "out-of-bounds read";
  case FindingKind::OutOfBoundsWrite:
    return "out-of-bounds write";
  case FindingKind::Misaligned:
    return "misaligned access";
  case FindingKind::UninitializedRead:
    return "uninitialized read";
  case FindingKind::RaceInBlock:
    return "race in a block";
  case FindingKind::RaceBetweenBlocks:
    return "race between blocks";
  case FindingKind::InactiveLane:
    return "inactive lane";
  case FindingKind::DivergentBarrier:
    return "divergent barrier";
  case FindingKind::WriteToInput:
    return "write to an input";
  }
  return "";
}

const char *nag::simt::getName(InstructionKind kind) {
  static const char *const names[kNumInstructionKinds] = {"float", "fma",    "special", "integer", "convert", "load",
                                                          "store", "atomic", "shuffle", "barrier", "control", "other"};
  return names[static_cast<unsigned>(kind)];
}

std::string Finding::toString() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << nag::getName(kind) << ": kernel " << kernel << ", ";
  if (!buffer.empty()) {
    os << "buffer " << buffer;
    if (column >= 0)
      os << " at (" << row << ", " << column << ")";
    os << " byte " << byteOffset << ", ";
  }
  os << "block (" << block[0] << ", " << block[1] << ", " << block[2] << ")";
  if (thread >= 0)
    os << ", thread " << thread;
  if (otherBlock >= 0)
    os << " against block " << otherBlock;
  if (otherThread >= 0)
    os << (otherBlock >= 0 ? ", thread " : " against thread ") << otherThread;
  os << ", " << instruction;
  if (!location.empty())
    os << " at " << location;
  if (!detail.empty())
    os << ": " << detail;
  if (occurrences > 1)
    os << " (" << occurrences << " times)";
  return text;
}

uint64_t KernelCounts::movedBytes() const {
  uint64_t sectors = 0;
  for (const BufferCounts &buffer : buffers)
    for (const TrafficCounts *counts : {&buffer.reads, &buffer.writes})
      sectors += counts->firstSectors + counts->lostSectors;
  return 32 * sectors;
}

uint64_t KernelCounts::floorBytes() const {
  if (programFloor)
    return programFloor;
  uint64_t bytes = 0;
  for (const BufferCounts &buffer : buffers)
    bytes += buffer.readFloor + buffer.writeFloor;
  return bytes;
}

void SimtReport::printFindings(llvm::raw_ostream &os) const {
  for (const Finding &finding : findings)
    os << finding.toString() << "\n";
  os << "simt: " << findings.size() << (findings.size() == 1 ? " finding\n" : " findings\n");
}

//===--------------------------------------------------------------------------------------------------------------===//
// Counts
//===--------------------------------------------------------------------------------------------------------------===//

static double ratio(uint64_t a, uint64_t b) { return b ? double(a) / double(b) : 0; }

/// "16 B", or the widths and their shares where there are several.
static std::string describeWidths(const TrafficCounts &counts) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int i = 4; i >= 0; --i) {
    if (!counts.widths[i])
      continue;
    os << (text.empty() ? "" : " ") << (1 << i);
    if (counts.widths[i] != counts.threadAccesses)
      os << ":" << llvm::format("%.0f%%", 100 * ratio(counts.widths[i], counts.threadAccesses));
  }
  return text;
}

void SimtReport::printCounts(llvm::raw_ostream &os) const {
  for (const KernelCounts &kernel : kernels) {
    os << "kernel " << kernel.name << ": " << kernel.launches << (kernel.launches == 1 ? " launch, " : " launches, ")
       << kernel.blocks << " blocks, " << kernel.threads << " threads";
    if (kernel.tokens)
      os << ", " << kernel.tokens << " tokens";
    os << "; seed " << seed << ", L2 of " << (l2Bytes >> 20) << " MiB\n";
    os << llvm::format("  %-24s %-5s %12s %12s %6s %10s %10s %10s %8s  %s\n", "buffer", "", "asked B", "sectors B",
                       "used", "first B", "L2 hit B", "lost B", "B/token", "width B");
    for (const BufferCounts &buffer : kernel.buffers)
      for (bool writes : {false, true}) {
        const TrafficCounts &counts = writes ? buffer.writes : buffer.reads;
        if (!counts.warpAccesses)
          continue;
        os << llvm::format("  %-24s %-5s %12llu %12llu %5.1f%% %10llu %10llu %10llu ", buffer.name.c_str(),
                           writes ? "write" : "read", (unsigned long long)counts.askedBytes,
                           (unsigned long long)(32 * counts.sectors), 100 * counts.usedShare(),
                           (unsigned long long)(32 * counts.firstSectors), (unsigned long long)(32 * counts.hitSectors),
                           (unsigned long long)(32 * counts.lostSectors));
        if (kernel.tokens)
          os << llvm::format("%8.1f", ratio(32 * (counts.firstSectors + counts.lostSectors), kernel.tokens));
        else
          os << llvm::format("%8s", "-");
        os << "  " << describeWidths(counts) << "\n";
      }
    os << "  moved " << kernel.movedBytes() << " B";
    if (kernel.tokens)
      os << llvm::format(", %.1f B/token", ratio(kernel.movedBytes(), kernel.tokens));
    os << "; floor " << (kernel.programFloor ? "of the row program " : "") << kernel.floorBytes() << " B, ratio "
       << llvm::format("%.3f", ratio(kernel.movedBytes(), kernel.floorBytes())) << "\n";
    os << "  shared: " << kernel.sharedAccesses << " warp accesses, " << kernel.sharedWavefronts << " wavefronts, "
       << kernel.bankConflicts << " bank conflicts; barriers " << kernel.barriers << ", warp exchanges "
       << kernel.warpExchanges << ", warp barriers " << kernel.warpBarriers << "\n";
    os << "  instructions of threads:";
    for (unsigned kind = 0; kind < kNumInstructionKinds; ++kind)
      if (kernel.instructions[kind])
        os << " " << simt::getName(static_cast<InstructionKind>(kind)) << " " << kernel.instructions[kind];
    os << "\n";
  }
}

static llvm::json::Object toJson(const TrafficCounts &counts) {
  llvm::json::Object widths;
  for (int i = 0; i < 5; ++i)
    widths[std::to_string(1 << i)] = counts.widths[i];
  return llvm::json::Object{{"warp_accesses", counts.warpAccesses},
                            {"thread_accesses", counts.threadAccesses},
                            {"asked_bytes", counts.askedBytes},
                            {"unique_bytes", counts.uniqueBytes},
                            {"sectors", counts.sectors},
                            {"used_share", counts.usedShare()},
                            {"first_sectors", counts.firstSectors},
                            {"l2_hit_sectors", counts.hitSectors},
                            {"lost_sectors", counts.lostSectors},
                            {"widths", std::move(widths)}};
}

void SimtReport::printJson(llvm::raw_ostream &os) const {
  llvm::json::Array findingList, kernelList;
  for (const Finding &finding : findings)
    findingList.push_back(
        llvm::json::Object{{"kind", nag::getName(finding.kind)},
                           {"kernel", finding.kernel},
                           {"buffer", finding.buffer},
                           {"byte", finding.byteOffset},
                           {"row", finding.row},
                           {"column", finding.column},
                           {"block", llvm::json::Array{finding.block[0], finding.block[1], finding.block[2]}},
                           {"thread", finding.thread},
                           {"other_thread", finding.otherThread},
                           {"other_block", finding.otherBlock},
                           {"instruction", finding.instruction},
                           {"location", finding.location},
                           {"detail", finding.detail},
                           {"occurrences", finding.occurrences}});
  for (const KernelCounts &kernel : kernels) {
    llvm::json::Array bufferList;
    for (const BufferCounts &buffer : kernel.buffers)
      bufferList.push_back(llvm::json::Object{{"name", buffer.name},
                                              {"reads", toJson(buffer.reads)},
                                              {"writes", toJson(buffer.writes)},
                                              {"read_floor_bytes", buffer.readFloor},
                                              {"write_floor_bytes", buffer.writeFloor}});
    llvm::json::Object instructions;
    for (unsigned kind = 0; kind < kNumInstructionKinds; ++kind)
      instructions[simt::getName(static_cast<InstructionKind>(kind))] = kernel.instructions[kind];
    kernelList.push_back(llvm::json::Object{{"name", kernel.name},
                                            {"launches", kernel.launches},
                                            {"blocks", kernel.blocks},
                                            {"threads", kernel.threads},
                                            {"tokens", kernel.tokens},
                                            {"buffers", std::move(bufferList)},
                                            {"moved_bytes", kernel.movedBytes()},
                                            {"floor_bytes", kernel.floorBytes()},
                                            {"ratio_to_floor", ratio(kernel.movedBytes(), kernel.floorBytes())},
                                            {"bytes_per_token", ratio(kernel.movedBytes(), kernel.tokens)},
                                            {"shared", llvm::json::Object{{"warp_accesses", kernel.sharedAccesses},
                                                                          {"wavefronts", kernel.sharedWavefronts},
                                                                          {"bank_conflicts", kernel.bankConflicts}}},
                                            {"barriers", kernel.barriers},
                                            {"warp_exchanges", kernel.warpExchanges},
                                            {"warp_barriers", kernel.warpBarriers},
                                            {"instructions", std::move(instructions)}});
  }
  llvm::json::Object root{
      {"seed", seed}, {"l2_bytes", l2Bytes}, {"findings", std::move(findingList)}, {"kernels", std::move(kernelList)}};
  os << llvm::formatv("{0:2}", llvm::json::Value(std::move(root))) << "\n";
}
