//===- SimtProgram.cpp - GPU kernels run on the CPU ---------------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Compiles a module with ORC and spreads the blocks of a launch over host threads.

#include "nag/Target/SIMT/SimtProgram.h"

#include "nag/Target/SIMT/Intrinsics.h"
#include "nag/Target/SIMT/Lower.h"
#include "nag/Target/SIMT/SimtMemory.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/TargetSelect.h"

#include <atomic>
#include <cfenv>
#include <mutex>
#include <numeric>
#include <thread>

using namespace nag;
using namespace nag::simt;
using namespace llvm::orc;

//===--------------------------------------------------------------------------------------------------------------===//
// Compilation
//===--------------------------------------------------------------------------------------------------------------===//

SimtProgram::SimtProgram(const SimtOptions &options) : options(options) {}
SimtProgram::~SimtProgram() = default;

llvm::Expected<std::unique_ptr<SimtProgram>> SimtProgram::create(llvm::StringRef bitcode, const SimtOptions &options) {
  std::unique_ptr<SimtProgram> program(new SimtProgram(options));
  if (llvm::Error error = program->compile(bitcode))
    return std::move(error);
  return std::move(program);
}

/// The host, without the instructions that flush subnormals of bf16.
static llvm::Expected<JITTargetMachineBuilder> detectHost() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::Expected<JITTargetMachineBuilder> host = JITTargetMachineBuilder::detectHost();
  if (!host)
    return host.takeError();
  if (host->getTargetTriple().isX86())
    host->addFeatures({"-avx512bf16", "-avxneconvert"});
  // LLVM's optimiser has been over the module. Beyond that, compiling would take longer than what it saves.
  host->setCodeGenOptLevel(llvm::CodeGenOptLevel::None);
  // Only what the module itself asks to be fused is.
  host->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return host;
}

llvm::Error SimtProgram::compile(llvm::StringRef bitcode) {
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, "kernels"), *context);
  if (!module)
    return module.takeError();
  // A module must not outlive its context, on any path.
  ThreadSafeModule safe(std::move(*module), std::move(context));

  llvm::Expected<JITTargetMachineBuilder> host = detectHost();
  if (!host)
    return host.takeError();
  llvm::Triple triple = host->getTargetTriple();
  LLJITBuilder builder;
  builder.setJITTargetMachineBuilder(std::move(*host));
  llvm::Expected<std::unique_ptr<LLJIT>> made = builder.create();
  if (!made)
    return made.takeError();
  jit = std::move(*made);

  bool watches = options.check || options.count;
  llvm::Expected<LoweredModule> result = safe.withModuleDo([&](llvm::Module &m) -> llvm::Expected<LoweredModule> {
    llvm::Expected<LoweredModule> lowered = lowerToHost(m, triple, jit->getDataLayout(), {watches, options.count});
    std::string broken;
    llvm::raw_string_ostream stream(broken);
    if (lowered && llvm::verifyModule(m, &stream))
      return llvm::createStringError("simt made an invalid module: " + broken);
    return lowered;
  });
  if (!result)
    return result.takeError();
  lowered = std::move(*result);

  JITDylib &main = jit->getMainJITDylib();
  SymbolMap symbols;
  for (auto &[name, address] : getRuntimeSymbols())
    symbols[jit->mangleAndIntern(name)] = {ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
  if (llvm::Error error = main.define(absoluteSymbols(std::move(symbols))))
    return error;
  // The C library and libm: LLVM itself has loaded them.
  auto process = DynamicLibrarySearchGenerator::GetForCurrentProcess(jit->getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  main.addGenerator(std::move(*process));
  if (llvm::Error error = jit->addIRModule(std::move(safe)))
    return error;
  // Compile now: what is missing is an error here, not a surprise at the first launch.
  for (auto &[name, kernel] : lowered.kernels)
    if (auto address = jit->lookup(kernel.wrapper); !address)
      return address.takeError();

  report.seed = options.seed;
  report.l2Bytes = options.l2Bytes;
  if (!watches)
    return llvm::Error::success();
  memory = std::make_unique<SimtMemory>(options, lowered, report);
  for (const ModuleVariable &global : lowered.globals) {
    auto address = jit->lookup(global.name);
    if (!address)
      return address.takeError();
    SimtBuffer buffer;
    buffer.name = global.name;
    buffer.base = address->toPtr<void *>();
    buffer.bytes = global.bytes;
    buffer.isReadOnly = global.isConstant;
    memory->addOwnBuffer(std::move(buffer));
  }
  return llvm::Error::success();
}

//===--------------------------------------------------------------------------------------------------------------===//
// Launches
//===--------------------------------------------------------------------------------------------------------------===//

namespace {

/// Visits 0 ... count - 1 in an order that the seed chooses, without remembering where it has been.
class BlockOrder {
public:
  BlockOrder(uint64_t count, uint64_t seed) : count(count) {
    if (seed == 0 || count < 2)
      return;
    start = (seed * 0x9e3779b97f4a7c15 >> 20) % count;
    step = (seed * 0xbf58476d1ce4e5b9 >> 20) % count | 1;
    while (std::gcd(step, count) != 1)
      ++step;
  }
  uint64_t operator[](uint64_t i) const {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(step) * i + start) % count);
  }

private:
  uint64_t count, start = 0, step = 1;
};

/// The arithmetic that kernels expect, whatever this thread had set.
class FloatEnvironmentScope {
public:
  FloatEnvironmentScope() {
    std::fegetenv(&before);
    std::fesetenv(FE_DFL_ENV);
  }
  ~FloatEnvironmentScope() { std::fesetenv(&before); }

private:
  std::fenv_t before;
};

} // namespace

void SimtProgram::registerBuffer(SimtBuffer buffer) {
  if (memory)
    memory->addBuffer(std::move(buffer));
}

void SimtProgram::clearBuffers() {
  if (memory)
    memory->clearBuffers();
}

void SimtProgram::setFloor(llvm::StringRef kernel, SimtFloor floor) {
  if (memory)
    memory->setFloor(kernel, floor);
}

static constexpr uint64_t kMaxThreads = 1024;
/// What the largest GPU gives one block.
static constexpr uint64_t kMaxDynamicShared = 227 * 1024;

llvm::Error SimtProgram::launch(llvm::StringRef name, Dim3 grid, Dim3 block, uint32_t dynamicShared,
                                llvm::ArrayRef<void *> params) {
  auto found = lowered.kernels.find(name.str());
  if (found == lowered.kernels.end())
    return llvm::createStringError("the module has no kernel '" + name + "'");
  const LoweredKernel &kernel = found->second;
  auto fail = [&](const llvm::Twine &what) { return llvm::createStringError("kernel " + name + ": " + what); };
  if (params.size() != kernel.numParams)
    return fail("expected " + llvm::Twine(kernel.numParams) + " parameters, got " + llvm::Twine(params.size()));
  if (grid.count() == 0 || block.count() == 0)
    return fail("the grid or the block is empty");
  if (block.count() > kMaxThreads || block.z > 64)
    return fail("a block of " + llvm::Twine(block.count()) + " threads is more than a GPU can have");
  if (kernel.maxThreads && block.count() > kernel.maxThreads)
    return fail("a block of " + llvm::Twine(block.count()) + " threads is more than the " +
                llvm::Twine(kernel.maxThreads) + " that it was compiled for");
  if (dynamicShared > kMaxDynamicShared)
    return fail(llvm::Twine(dynamicShared) + " bytes of dynamic shared memory are more than a GPU can give");
  llvm::Expected<ExecutorAddr> address = jit->lookup(kernel.wrapper);
  if (!address)
    return address.takeError();

  LaunchConfig launch;
  launch.module = &lowered;
  launch.name = name.str();
  launch.function = address->toPtr<void (*)(void **)>();
  launch.params = const_cast<void **>(params.data());
  launch.grid = grid;
  launch.block = block;
  launch.dynamicShared = dynamicShared;
  launch.seed = options.seed;
  if (memory)
    memory->beginLaunch(launch);
  llvm::Error error = runBlocks(launch);
  if (memory)
    memory->endLaunch();
  return error;
}

llvm::Error SimtProgram::runBlocks(const LaunchConfig &launch) {
  uint64_t numBlocks = launch.grid.count();
  unsigned workers = 1;
  if (!memory) {
    workers = options.hostThreads ? options.hostThreads : std::max(1u, std::thread::hardware_concurrency());
    workers = static_cast<unsigned>(std::min<uint64_t>(workers, numBlocks));
  }
  unsigned threads = static_cast<unsigned>(launch.block.count());
  uint64_t shared = lowered.staticShared + launch.dynamicShared;
  if (threads > machineThreads || shared > machineShared) {
    machines.clear();
    machineThreads = std::max(machineThreads, threads);
    machineShared = std::max(machineShared, shared);
  }
  while (machines.size() < workers) {
    llvm::Expected<std::unique_ptr<Machine>> machine = Machine::create(machineThreads, machineShared);
    if (!machine)
      return machine.takeError();
    machines.push_back(std::move(*machine));
  }

  BlockOrder order(numBlocks, launch.seed);
  std::atomic<uint64_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  llvm::Error first = llvm::Error::success();
  auto work = [&](Machine &machine) {
    FloatEnvironmentScope scope;
    for (uint64_t i = next++; i < numBlocks && !failed; i = next++) {
      uint64_t number = order[i];
      Dim3 index;
      index.x = static_cast<uint32_t>(number % launch.grid.x);
      index.y = static_cast<uint32_t>(number / launch.grid.x % launch.grid.y);
      index.z = static_cast<uint32_t>(number / launch.grid.x / launch.grid.y);
      if (llvm::Error error = machine.runBlock(launch, index, memory.get())) {
        std::lock_guard<std::mutex> lock(mutex);
        first = llvm::joinErrors(std::move(first), std::move(error));
        failed = true;
      }
    }
  };
  std::vector<std::thread> helpers;
  for (unsigned i = 1; i < workers; ++i)
    helpers.emplace_back([&, i] { work(*machines[i]); });
  work(*machines[0]);
  for (std::thread &helper : helpers)
    helper.join();
  return first;
}
