//===- nag-bench.cpp - Measures kernels against the limits of machines --------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The command line of nag-bench: which kernels are measured in which ways, and where the results go.

#include "Kernels.h"
#include "Measure.h"
#include "Results.h"

#include "nag/Compiler/Compiler.h"
#include "nag/Execution/MemoryBandwidth.h"
#include "nag/InitAll.h"
#include "nag/Pipelines/ScheduleFlags.h"
#include "nag/Support/Output.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace nag;
namespace cl = llvm::cl;

namespace {

struct Options {
  cl::OptionCategory category{"nag-bench options"};

  cl::opt<std::string> input{cl::Positional, cl::desc("[IN.mlir]: measure its entries instead of --kernels"),
                             cl::cat(category)};
  cl::opt<std::string> entry{"entry", cl::desc("The one entry of IN.mlir to measure (default: all)"),
                             cl::cat(category)};
  cl::list<std::string> kernels{"kernels",
                                cl::desc("Kinds of kernels; --list tells them (default: update_lanes, "
                                         "update_residual, boundary)"),
                                cl::CommaSeparated, cl::cat(category)};
  cl::list<int64_t> widths{"widths", cl::desc("Elements of a row (default: 4096)"), cl::CommaSeparated,
                           cl::cat(category)};
  cl::list<std::string> types{"types", cl::desc("bf16, f16, f32, f64 (default: bf16)"), cl::CommaSeparated,
                              cl::cat(category)};
  cl::list<int64_t> components{"components", cl::desc("C of the modulator, 0 for none (default: 0, 8)"),
                               cl::CommaSeparated, cl::cat(category)};
  cl::list<std::string> targets{"targets",
                                cl::desc("cpu: time; simt: bytes that move; ptxas: registers and occupancy "
                                         "(default: cpu)"),
                                cl::CommaSeparated, cl::cat(category)};
  cl::list<std::string> chips{"chips", cl::desc("For ptxas (default: sm_80, sm_90, sm_100)"), cl::CommaSeparated,
                              cl::cat(category)};
  cl::opt<std::string> mcpu{"mcpu", cl::desc("Processor to compile for (default: native)"), cl::init("native"),
                            cl::cat(category)};
  cl::opt<int64_t> rows{"rows",
                        cl::desc("Tokens of the cold runs on the CPU (default: what fills 12 times its caches)"),
                        cl::init(0), cl::cat(category)};
  cl::opt<unsigned> repeat{"repeat", cl::desc("Measured runs (default: 10)"), cl::init(10), cl::cat(category)};
  ScheduleFlags schedule{category};
  cl::opt<std::string> json{"json", cl::desc("Write the results in the form of Google Benchmark"),
                            cl::value_desc("file"), cl::cat(category)};
  cl::opt<bool> compileTime{"compile-time",
                            cl::desc("Measure the compiler instead: text to PTX, ptxas, and each pass on "
                                     "up to 200 sub-layers"),
                            cl::cat(category)};
  cl::opt<bool> list{"list", cl::desc("Tell the kinds of kernels"), cl::cat(category)};
};

llvm::Error fail(const llvm::Twine &what) { return llvm::createStringError(what); }

class Bench {
public:
  Bench(Options &options, MLIRContext &context) : options(options), context(context) {}

  llvm::Error execute() {
    if (llvm::Error error = collectKernels())
      return error;
    for (const std::string &target : targets())
      if (target != "cpu" && target != "simt" && target != "ptxas")
        return fail("--targets: expected cpu, simt or ptxas, got '" + target + "'");
    if (options.repeat == 0)
      return fail("--repeat=0: expected at least 1");
    if (options.rows < 0)
      return fail("--rows=" + llvm::Twine(options.rows) + ": expected at least 1");
    // What cannot be written is said before anything is measured.
    if (!options.json.empty())
      if (llvm::Error error = checkOutput(options.json))
        return error;
    if (llvm::Error error = measure())
      return error;
    if (options.json.empty())
      return llvm::Error::success();
    std::string json;
    llvm::raw_string_ostream stream(json);
    printJson(tables, jsonContext, stream);
    return writeOutput(options.json, json);
  }

private:
  std::vector<std::string> targets() const {
    return options.targets.empty() ? std::vector<std::string>{"cpu"} : std::vector<std::string>(options.targets);
  }

  llvm::Error collectKernels() {
    if (!options.input.empty())
      return collectEntries();
    if (!options.entry.empty())
      return fail("--entry=" + options.entry + ": chooses from a file, and none is given");
    std::vector<std::string> names(options.kernels);
    if (names.empty())
      names = {"update_lanes", "update_residual", "boundary"};
    std::vector<int64_t> widths(options.widths), components(options.components);
    std::vector<std::string> types(options.types);
    if (widths.empty())
      widths = {4096};
    if (components.empty())
      components = {0, 8};
    if (types.empty())
      types = {"bf16"};
    for (int64_t width : widths)
      if (width < 1)
        return fail("--widths: expected at least 1, got " + llvm::Twine(width));
    for (int64_t count : components)
      if (count < 0)
        return fail("--components: expected at least 0, got " + llvm::Twine(count));
    for (const std::string &type : types)
      if (!llvm::is_contained({"bf16", "f16", "f32", "f64"}, type))
        return fail("--types: expected bf16, f16, f32 or f64, got '" + type + "'");
    for (const std::string &name : names) {
      auto kind = llvm::find_if(getKernelKinds(), [&](const KernelKind &kind) { return kind.name == name; });
      if (kind == getKernelKinds().end())
        return fail("--kernels: no kind of kernel '" + name + "'; --list tells them");
      for (int64_t width : widths)
        for (const std::string &type : types)
          for (int64_t count : components) {
            bool isOne = kind->takesComponents || count == components.front();
            if (isOne && (count > 0 || !kind->needsComponents))
              kernels.push_back(makeKernel(*kind, width, type, kind->takesComponents ? count : 0));
          }
    }
    if (kernels.empty())
      return fail("nothing to measure: these kernels need --components of at least 1");
    return llvm::Error::success();
  }

  llvm::Error collectEntries() {
    std::string message;
    std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(options.input, &message);
    if (!file)
      return fail(message);
    std::string source = file->getBuffer().str();
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context, options.input);
    if (!module)
      return fail("");
    std::vector<std::string> names;
    for (auto function : module->getOps<func::FuncOp>()) {
      if (!function.isPublic() || function.isExternal())
        continue;
      names.push_back(function.getName().str());
      if (options.entry.empty() || function.getName() == options.entry)
        kernels.push_back({names.back(), names.back(), source, 0, 0, ""});
    }
    if (names.empty())
      return fail("'" + options.input + "' has no public function with a body");
    return kernels.empty() ? fail("--entry=" + options.entry + ": no such entry; '" + options.input + "' has " +
                                  llvm::join(names, ", "))
                           : llvm::Error::success();
  }

  llvm::Error measure() {
    BenchOptions bench;
    bench.mcpu = options.mcpu;
    bench.repeat = options.repeat;
    bench.schedule = options.schedule.get();
    bench.chips = options.chips.empty() ? std::vector<std::string>{"sm_80", "sm_90", "sm_100"}
                                        : std::vector<std::string>(options.chips);
    if (options.rows > 0)
      bench.rows = options.rows;
    jsonContext.emplace_back("cpu", llvm::sys::getHostCPUName().str());

    auto add = [&](const llvm::Twine &title, llvm::function_ref<llvm::Error(BenchTable &)> measure) -> llvm::Error {
      BenchTable table{title.str(), {}, {}};
      if (llvm::Error error = measure(table))
        return error;
      printTable(table, llvm::outs());
      llvm::outs().flush();
      tables.push_back(std::move(table));
      return llvm::Error::success();
    };

    if (options.compileTime) {
      if (options.chips.empty())
        bench.chips = {"sm_90"};
      if (llvm::Error error = add(
              "compile time", [&](BenchTable &table) { return measureCompileTime(context, kernels, bench, table); }))
        return error;
      return add("passes and the number of sub-layers",
                 [&](BenchTable &table) { return measureScaling(context, bench, table); });
    }

    for (const std::string &target : targets()) {
      llvm::Error error = llvm::Error::success();
      if (target == "cpu")
        error = measureOnCpu(bench, add);
      else if (target == "simt")
        error = add("simt: what moves", [&](BenchTable &table) { return measureSimt(context, kernels, bench, table); });
      else
        error = add("ptxas: what kernels take of a chip",
                    [&](BenchTable &table) { return measureResources(context, kernels, bench, table); });
      if (error)
        return error;
    }
    return llvm::Error::success();
  }

  llvm::Error measureOnCpu(
      const BenchOptions &bench,
      llvm::function_ref<llvm::Error(const llvm::Twine &, llvm::function_ref<llvm::Error(BenchTable &)>)> add) {
    auto memory = MemoryBandwidth::create();
    if (!memory)
      return memory.takeError();
    llvm::Error error =
        add("cpu: time", [&](BenchTable &table) { return measureCpu(context, kernels, bench, *memory, table); });
    jsonContext.emplace_back("copy_GB_per_s", llvm::formatv("{0:F2}", memory->getCopy()));
    jsonContext.emplace_back("triad_GB_per_s", llvm::formatv("{0:F2}", memory->getTriad()));
    return error;
  }

  Options &options;
  MLIRContext &context;
  std::vector<BenchKernel> kernels;
  std::vector<BenchTable> tables;
  std::vector<std::pair<std::string, std::string>> jsonContext;
};

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(argc, argv, "Measures compiled kernels against the limits of machines.\n");
  if (options.list) {
    for (const KernelKind &kind : getKernelKinds())
      llvm::outs() << llvm::left_justify(kind.name, 16) << kind.summary << "\n";
    return 0;
  }
  MemoryBandwidth::letOpenMPThreadsSleep();
  DialectRegistry registry;
  registerAllDialects(registry);
  registerCompilerDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  if (llvm::Error error = Bench(options, context).execute()) {
    llvm::outs().flush();
    // A compiler's diagnostics stand for themselves.
    std::string message = llvm::toString(std::move(error));
    if (!message.empty())
      llvm::WithColor::error(llvm::errs(), "nag-bench") << message << "\n";
    return 1;
  }
  return 0;
}
