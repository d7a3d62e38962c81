//===- nag-run.cpp - Runs an entry on a target and checks it against the reference --------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The command line of nag-run, and what it does in which order: read, run, write, check, time.

#include "nag/Dialect/Nag/Transforms/Passes.h"
#include "nag/Execution/EntryTensors.h"
#include "nag/Execution/Executor.h"
#include "nag/Execution/MemoryBandwidth.h"
#include "nag/InitAll.h"
#include "nag/Pipelines/ScheduleFlags.h"
#include "nag/Reference/Compare.h"
#include "nag/Reference/Evaluator.h"
#include "nag/Support/Npy.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <chrono>
#include <cmath>

using namespace mlir;
using namespace nag;
namespace cl = llvm::cl;

namespace {

struct Options {
  cl::OptionCategory category{"nag-run options"};

  cl::opt<std::string> input{cl::Positional, cl::desc("IN.mlir, or - for the standard input"), cl::Required,
                             cl::cat(category)};
  cl::opt<std::string> entry{"entry", cl::desc("Function to run; not needed where only one is public"),
                             cl::value_desc("name"), cl::cat(category)};
  cl::opt<std::string> target{"target", cl::desc("reference, cpu, simt or cuda (default: cpu)"), cl::init("cpu"),
                              cl::cat(category)};
  cl::opt<std::string> mcpu{"mcpu", cl::desc("Processor to compile for (default: native)"), cl::init("native"),
                            cl::cat(category)};
  cl::opt<std::string> chip{"chip", cl::desc("GPU to compile for, like sm_90 (default: the device's own)"),
                            cl::cat(category)};

  ScheduleFlags schedule{category};
  cl::opt<bool> noFuse{"no-fuse", cl::desc("A kernel for each operation, also where several walk the same rows"),
                       cl::cat(category)};
  cl::opt<bool> lanes{"lanes",
                      cl::desc("Streams become direction and log-norm where that moves fewer rows; the reference "
                               "follows"),
                      cl::cat(category)};
  cl::opt<bool> simtCheck{"simt-check", cl::desc("simt: look for faults in the kernels; exit code 1 if there are any"),
                          cl::cat(category)};
  cl::opt<std::string> simtCounters{"simt-counters", cl::desc("simt: print what was counted, as text or json"),
                                    cl::value_desc("format"), cl::ValueOptional, cl::cat(category)};
  cl::list<uint64_t> simtSeeds{
      "simt-seed",
      cl::desc("simt: order of threads and blocks (default: 0, ascending); of several, each is "
               "run, and all must give the same bits"),
      cl::value_desc("seed,..."), cl::CommaSeparated, cl::cat(category)};

  cl::list<std::string> args{"arg", cl::desc("Read argument N from a .npy file"), cl::value_desc("N=file.npy"),
                             cl::cat(category)};
  cl::list<std::string> random{
      "random", cl::desc("How argument N is distributed: normal, normal:SCALE, uniform:LOW:HIGH, constant:VALUE"),
      cl::value_desc("N=distribution"), cl::cat(category)};
  cl::opt<uint64_t> seed{"seed", cl::desc("Seed of random arguments (default: 0)"), cl::init(0), cl::cat(category)};
  cl::opt<int64_t> rows{"rows", cl::desc("Size of dynamic dimension 0"), cl::init(-1), cl::cat(category)};
  cl::list<std::string> dims{"dim", cl::desc("Size of dynamic dimension N"), cl::value_desc("N=size"),
                             cl::cat(category)};
  cl::opt<int64_t> rowPad{"row-stride-pad", cl::desc("Guarded elements between rows, of arguments and results"),
                          cl::init(0), cl::cat(category)};
  cl::opt<int64_t> offset{"offset", cl::desc("Guarded elements before the first row"), cl::init(0), cl::cat(category)};
  cl::list<std::string> layouts{"layout", cl::desc("--offset and --row-stride-pad of argument N alone, rows or not"),
                                cl::value_desc("N=offset:pad"), cl::cat(category)};
  cl::list<std::string> resultLayouts{"result-layout", cl::desc("The same for result N"),
                                      cl::value_desc("N=offset:pad"), cl::cat(category)};
  cl::opt<bool> poison{"poison-outputs", cl::desc("Fill results with NaN before each run (default: on)"),
                       cl::init(true), cl::cat(category)};

  cl::opt<std::string> out{"out", cl::desc("Write all results to DIR/resultN.npy"), cl::value_desc("dir"),
                           cl::cat(category)};
  cl::list<std::string> results{"result", cl::desc("Write result N to a .npy file"), cl::value_desc("N=file.npy"),
                                cl::cat(category)};
  cl::opt<bool> check{"check", cl::desc("Compare with the reference; exit code 1 beyond tolerance"), cl::cat(category)};
  cl::opt<bool> time{"time", cl::desc("Measure several runs; on the CPU beside a copy of memory"), cl::cat(category)};
  cl::opt<unsigned> repeat{"repeat", cl::desc("Number of measured runs (default: 10)"), cl::init(10),
                           cl::cat(category)};
};

/// One run of the tool. Every step ends in an error or a success; diagnostics of the compiler come on their own.
class Run {
public:
  Run(Options &options, MLIRContext &context) : options(options), context(context) {}

  llvm::Error execute() {
    if (options.rowPad < 0 || options.offset < 0)
      return llvm::createStringError("--row-stride-pad and --offset: expected at least 0");
    if (options.rows.getNumOccurrences() && options.rows < 0)
      return llvm::createStringError("--rows=" + Twine(options.rows) + ": expected at least 0");
    if (options.repeat == 0)
      return llvm::createStringError("--repeat=0: expected at least 1");
    if (options.time)
      MemoryBandwidth::letOpenMPThreadsSleep();
    for (llvm::Error (Run::*step)() : {&Run::makeExecutor, &Run::parse, &Run::findEntry, &Run::makeTensors,
                                       &Run::runOnce, &Run::writeResults, &Run::report})
      if (llvm::Error error = (this->*step)())
        return error;
    return llvm::Error::success();
  }

private:
  static llvm::Error fail(const Twine &what) { return llvm::createStringError(what); }
  /// A failure that diagnostics have told about.
  static llvm::Error failReported() { return fail(""); }

  llvm::Error makeExecutor() {
    ExecutorOptions wanted;
    wanted.mcpu = options.mcpu;
    wanted.chip = options.chip;
    wanted.schedule = options.schedule.get();
    wanted.fuse = !options.noFuse;
    wanted.simt.check = options.simtCheck;
    if (!options.simtSeeds.empty())
      wanted.simtSeeds.assign(options.simtSeeds.begin(), options.simtSeeds.end());
    if (options.simtCounters.getNumOccurrences()) {
      wanted.simtCounters = options.simtCounters.empty() ? "text" : options.simtCounters.getValue();
      wanted.simt.count = true;
      if (wanted.simtCounters != "text" && wanted.simtCounters != "json")
        return fail("--simt-counters=" + wanted.simtCounters + ": expected text or json");
      if (wanted.simtSeeds.size() > 1)
        return fail("--simt-counters: expected one --simt-seed, got " + Twine(wanted.simtSeeds.size()));
    }
    auto made = createExecutor(options.target, wanted);
    if (!made)
      return made.takeError();
    executor = std::move(*made);
    return llvm::Error::success();
  }

  llvm::Error parse() {
    std::string message;
    std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(options.input, &message);
    if (!file)
      return fail(message);
    sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
    diagnostics = std::make_unique<SourceMgrDiagnosticHandler>(sources, &context);
    module = parseSourceFile<ModuleOp>(sources, &context);
    return module && (!options.lanes || succeeded(convertToLanes())) ? llvm::Error::success() : failReported();
  }

  /// Roundings follow the form of the stream: what is checked is the program in lane form.
  LogicalResult convertToLanes() {
    PassManager passes(&context);
    passes.addPass(createInlinerPass());
    passes.addPass(createNagToLanes());
    return passes.run(*module);
  }

  llvm::Error findEntry() {
    std::vector<func::FuncOp> entries;
    for (auto candidate : module->getOps<func::FuncOp>())
      if (candidate.isPublic() && !candidate.isExternal())
        entries.push_back(candidate);
    std::string names = llvm::join(llvm::map_range(entries, [](func::FuncOp f) { return f.getName().str(); }), ", ");
    if (entries.empty())
      return fail("'" + options.input + "' has no public function with a body to run");
    if (options.entry.empty() && entries.size() > 1)
      return fail("'" + options.input + "' has several entries; choose one by --entry: " + names);
    for (func::FuncOp candidate : entries)
      if (options.entry.empty() || candidate.getName() == options.entry)
        entry = candidate;
    return entry ? llvm::Error::success()
                 : fail("--entry=" + options.entry + ": no such entry; '" + options.input + "' has " + names);
  }

  llvm::Error makeTensors() {
    TensorRequest request;
    request.files = options.args;
    request.distributions = options.random;
    request.dims = options.dims;
    if (options.rows.getNumOccurrences())
      request.rows = options.rows;
    request.seed = options.seed;
    request.layout = {options.offset, options.rowPad};
    request.layouts = options.layouts;
    request.resultLayouts = options.resultLayouts;
    auto madeInputs = makeInputs(entry, request);
    if (!madeInputs)
      return madeInputs.takeError();
    inputs = std::move(*madeInputs);
    auto madeOutputs = makeOutputs(entry, inputs, request);
    if (!madeOutputs)
      return madeOutputs.takeError();
    outputs = std::move(*madeOutputs);

    // What cannot be written is said before anything runs.
    for (StringRef text : options.results) {
      auto parsed = parseIndexed(entry, text, "--result", /*results=*/true);
      if (!parsed)
        return parsed.takeError();
      files.push_back(*parsed);
    }
    return llvm::Error::success();
  }

  llvm::Error runOnce() {
    if (failed(executor->prepare(OwningOpRef<ModuleOp>(module->clone()), entry.getName())))
      return failReported();
    std::vector<uint64_t> before = hashInputs();
    if (llvm::Error error = callEntry())
      return error;
    std::vector<uint64_t> after = hashInputs();
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (before[i] != after[i])
        return fail("argument " + Twine(i) + ": an input has been overwritten");
      if (llvm::Error error = inputs[i].checkGuards())
        return fail("argument " + Twine(i) + ": " + llvm::toString(std::move(error)));
    }
    for (size_t i = 0; i < outputs.size(); ++i)
      if (llvm::Error error = outputs[i].checkGuards())
        return fail("result " + Twine(i) + ": " + llvm::toString(std::move(error)));
    return llvm::Error::success();
  }

  llvm::Error callEntry() {
    if (options.poison)
      for (HostTensor &output : outputs)
        output.poison();
    return executor->run(inputs, outputs);
  }

  std::vector<uint64_t> hashInputs() {
    std::vector<uint64_t> hashes;
    for (const HostTensor &input : inputs) {
      uint64_t hash = 0;
      for (int64_t row = 0; row < input.getNumRows(); ++row)
        hash = hash * 0x9e3779b97f4a7c15 +
               llvm::xxh3_64bits(ArrayRef(input.getRow(row), size_t(input.getWidth()) * getByteSize(input.getType())));
      hashes.push_back(hash);
    }
    return hashes;
  }

  llvm::Error writeResults() {
    if (!options.out.empty()) {
      if (std::error_code code = llvm::sys::fs::create_directories(options.out))
        return fail("--out=" + options.out + ": " + code.message());
      for (unsigned i = 0; i < outputs.size(); ++i) {
        llvm::SmallString<128> path(options.out);
        llvm::sys::path::append(path, "result" + Twine(i) + ".npy");
        files.emplace_back(i, path.str().str());
      }
    }
    for (auto &[index, path] : files)
      if (llvm::Error error = writeNpy(path, outputs[index]))
        return error;
    return llvm::Error::success();
  }

  llvm::Error report() {
    llvm::Error error = options.check ? checkResults() : llvm::Error::success();
    if (!options.check && !options.time && files.empty())
      printResults();
    executor->printReport(llvm::outs());
    if (error || !options.time)
      return error;
    return measure();
  }

  /// The sign of a NaN means nothing.
  static llvm::format_object<double> formatNumber(double x) {
    return llvm::format("%.9g", std::isnan(x) ? std::fabs(x) : x);
  }

  void printResults() {
    for (auto [i, output] : llvm::enumerate(outputs)) {
      llvm::outs() << "result " << i << ": " << toString(output.getShape(), output.getType()) << " [";
      int64_t shown = std::min<int64_t>(output.getNumElements(), 8);
      for (int64_t j = 0; j < shown; ++j)
        llvm::outs() << (j ? ", " : "") << formatNumber(output.get(j));
      llvm::outs() << (shown < output.getNumElements() ? ", ...]\n" : "]\n");
    }
  }

  llvm::Error checkResults() {
    SmallVector<ReferenceTensor> arguments;
    for (HostTensor &input : inputs)
      arguments.emplace_back(std::shared_ptr<const HostTensor>(std::shared_ptr<void>(), &input));
    FailureOr<SmallVector<ReferenceTensor>> exact = evaluateReference(entry, arguments);
    if (failed(exact))
      return failReported();
    int64_t failures = 0;
    for (auto [i, reference, output] : llvm::enumerate(*exact, outputs)) {
      Comparison comparison = compare(reference, output);
      llvm::outs() << "result " << i << ": " << toString(output.getShape(), output.getType()) << ", largest error "
                   << llvm::format("%.3g", comparison.largestError);
      if (comparison.worstRow >= 0)
        llvm::outs() << ", " << llvm::format("%.3g", comparison.largestUnits) << " units of "
                     << llvm::format("%.3g", comparison.allowedUnits) << " allowed (row " << comparison.worstRow
                     << ", column " << comparison.worstColumn << ")";
      llvm::outs() << ", rows compared " << comparison.compared << ", left out " << comparison.leftOut << ": "
                   << (comparison.passed() ? "ok" : "FAILED") << "\n";
      if (!comparison.passed())
        llvm::outs() << "  " << comparison.failures << " elements beyond tolerance, the first in "
                     << comparison.firstFailure << "\n";
      failures += comparison.failures;
    }
    llvm::outs().flush();
    return failures ? fail("results differ from the reference beyond tolerance") : llvm::Error::success();
  }

  llvm::Error measure() {
    // The copy is a yardstick of this machine's memory, so it means something for the CPU only.
    std::optional<MemoryBandwidth> memory;
    if (options.target == "cpu") {
      auto made = MemoryBandwidth::create();
      if (!made)
        return made.takeError();
      memory = std::move(*made);
    }
    std::vector<double> milliseconds;
    for (unsigned i = 0; i < options.repeat; ++i) {
      auto start = std::chrono::steady_clock::now();
      if (llvm::Error error = executor->run(inputs, outputs))
        return error;
      std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
      milliseconds.push_back(elapsed.count());
      if (memory)
        memory->measure();
    }
    llvm::sort(milliseconds);
    int64_t bytes = 0;
    for (const std::vector<HostTensor> *tensors : {&inputs, &outputs})
      for (const HostTensor &tensor : *tensors)
        bytes += tensor.getNumBytes();
    double median = milliseconds[milliseconds.size() / 2], bandwidth = double(bytes) * 1e-6 / median;
    llvm::outs() << "time: min " << llvm::format("%.3f", milliseconds.front()) << " ms, median "
                 << llvm::format("%.3f", median) << " ms of " << milliseconds.size() << " runs; "
                 << llvm::format("%.1f", double(bytes) * 1e-6) << " MB in and out, " << llvm::format("%.2f", bandwidth)
                 << " GB/s\n";
    if (memory) {
      llvm::outs() << "copy " << llvm::format("%.2f", memory->getCopy()) << " GB/s with " << memory->getNumThreads()
                   << " threads, share " << llvm::format("%.2f", bandwidth / memory->getCopy());
      if (uint64_t(bytes) < 4 * memory->getCacheBytes())
        llvm::outs() << " (of no meaning here: caches of " << (memory->getCacheBytes() >> 20)
                     << " MiB may hold what the entry reads)";
      llvm::outs() << "\n";
    }
    return llvm::Error::success();
  }

  Options &options;
  MLIRContext &context;
  llvm::SourceMgr sources;
  std::unique_ptr<SourceMgrDiagnosticHandler> diagnostics;
  OwningOpRef<ModuleOp> module;
  func::FuncOp entry;
  std::unique_ptr<Executor> executor;
  std::vector<HostTensor> inputs, outputs;
  /// Results to write, and where.
  std::vector<std::pair<unsigned, std::string>> files;
};

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(
      argc, argv, "Runs an entry on a target, on given or seeded inputs, and checks it against the reference.\n");
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  // One message an error, not the operation after it.
  context.printOpOnDiagnostic(false);
  if (llvm::Error error = Run(options, context).execute()) {
    llvm::outs().flush();
    // A compiler's diagnostics stand for themselves.
    std::string message = llvm::toString(std::move(error));
    if (!message.empty())
      llvm::WithColor::error(llvm::errs(), "nag-run") << message << "\n";
    return 1;
  }
  return 0;
}
