//===- nagc.cpp - The compiler driver -----------------------------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The command line of nagc: reads options and input, has them compiled, and writes the product and the report.

#include "nag/Compiler/Compiler.h"
#include "nag/Pipelines/ScheduleFlags.h"
#include "nag/Support/Output.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace nag;
namespace cl = llvm::cl;

namespace {

struct CommandLine {
  cl::OptionCategory category{"nagc options"};

  cl::opt<std::string> input{cl::Positional, cl::desc("IN.mlir (default: -, the standard input)"), cl::init("-"),
                             cl::cat(category)};
  cl::opt<std::string> output{"o", cl::desc("Where the product goes (default: -, the standard output)"),
                              cl::value_desc("file"), cl::init("-"), cl::cat(category)};
  cl::opt<std::string> target{"target", cl::desc("cpu or cuda (default: the one that has the product, or cpu)"),
                              cl::cat(category)};
  cl::opt<std::string> emit{
      "emit",
      cl::desc(
          "row (entries of row programs), mlir (before LLVM), llvm; for cuda ptx, cubin, fatbin; for cpu asm, obj, "
          "shared, header; none (a report only). Default: by the suffix of the output, or obj for cpu and ptx for "
          "cuda"),
      cl::value_desc("product"), cl::cat(category)};
  cl::opt<unsigned> optLevel{"opt-level", cl::desc("Optimisation level, 0 to 3 (default: 3)"), cl::init(3),
                             cl::cat(category)};

  cl::opt<std::string> report{"report", cl::desc("Report on the kernels, as text or json (default: text)"),
                              cl::value_desc("format"), cl::ValueOptional, cl::cat(category)};
  cl::opt<std::string> reportFile{"report-file", cl::desc("Where the report goes (default: the standard error)"),
                                  cl::value_desc("file"), cl::cat(category)};

  cl::opt<std::string> mcpu{"mcpu", cl::desc("Processor, like x86-64-v3 (default: native)"), cl::init("native"),
                            cl::cat(category)};
  cl::opt<std::string> mattr{"mattr", cl::desc("Features on top of the processor's, like +avx512bf16,-f16c"),
                             cl::cat(category)};
  cl::opt<bool> noFuse{"no-fuse", cl::desc("A kernel for each operation, also where several walk the same rows"),
                       cl::cat(category)};
  cl::opt<bool> lanes{"lanes", cl::desc("Streams become direction and log-norm where that moves fewer rows"),
                      cl::cat(category)};
  cl::opt<bool> noOpenMP{"no-openmp", cl::desc("One thread"), cl::cat(category)};
  cl::opt<std::string> linker{"linker", cl::desc("What links a shared library (default: a compiler or linker in PATH)"),
                              cl::value_desc("program"), cl::cat(category)};

  cl::opt<std::string> chip{"chip",
                            cl::desc("Chip, or chips for a fat binary or a report: sm_80,sm_90 (default: sm_90)"),
                            cl::value_desc("chips"), cl::init("sm_90"), cl::cat(category)};
  ScheduleFlags schedule{category};
  cl::opt<std::string> cudaPath{"cuda-path", cl::desc("Root of the CUDA Toolkit (default: CUDA_HOME, CUDA_PATH, PATH)"),
                                cl::value_desc("directory"), cl::cat(category)};
  cl::opt<std::string> ptxas{"ptxas", cl::desc("ptxas to use"), cl::value_desc("program"), cl::cat(category)};
  cl::opt<std::string> fatbinary{"fatbinary", cl::desc("fatbinary to use"), cl::value_desc("program"),
                                 cl::cat(category)};
  cl::opt<std::string> libdevice{"libdevice", cl::desc("libdevice.10.bc to use"), cl::value_desc("file"),
                                 cl::cat(category)};

  llvm::Expected<CompileOptions> getOptions() const;

private:
  llvm::Error checkOneTarget(Target target) const;
  llvm::Error checkReport() const;
};

/// One run of the tool: every step is a success or has said what is wrong.
class Driver {
public:
  Driver(const CommandLine &commandLine, CompileOptions options)
      : commandLine(commandLine), options(std::move(options)) {}

  LogicalResult run();

private:
  LogicalResult report(llvm::Error error) {
    if (!error)
      return success();
    llvm::WithColor::error(llvm::errs(), "nagc") << llvm::toString(std::move(error)) << "\n";
    return failure();
  }
  llvm::Error checkOutputs() const;
  llvm::Error writeReport(const Report &report) const;

  const CommandLine &commandLine;
  CompileOptions options;
};

} // namespace

/// An option that the target would not look at is a mistake that should be heard of.
llvm::Error CommandLine::checkOneTarget(Target target) const {
  const cl::Option *ofCpu[] = {&mcpu, &mattr, &noOpenMP, &linker};
  const cl::Option *ofCuda[] = {&chip,     &schedule.kind, &schedule.persistent, &schedule.tensorCores,
                                &cudaPath, &ptxas,         &fatbinary,           &libdevice};
  bool isCpu = target == Target::CPU;
  for (const cl::Option *option : isCpu ? llvm::ArrayRef(ofCuda) : llvm::ArrayRef(ofCpu))
    if (option->getNumOccurrences())
      return llvm::createStringError("--" + option->ArgStr + " is for --target=" + (isCpu ? "cuda" : "cpu") +
                                     ", and the target is " + (isCpu ? "cpu" : "cuda"));
  return llvm::Error::success();
}

llvm::Error CommandLine::checkReport() const {
  if (!report.empty() && report != "text" && report != "json")
    return llvm::createStringError("--report=" + report + ": expected text or json");
  if (!reportFile.getNumOccurrences())
    return llvm::Error::success();
  if (!report.getNumOccurrences())
    return llvm::createStringError("--report-file is for --report, which is not there");
  if (reportFile == output && emit != "none")
    return llvm::createStringError("--report-file=" + reportFile + ": the product goes there already");
  return llvm::Error::success();
}

llvm::Expected<CompileOptions> CommandLine::getOptions() const {
  CompileOptions options;
  if (llvm::Error error = chooseTargetAndEmit(target, emit, output, options))
    return std::move(error);
  if (llvm::Error error = checkOneTarget(options.target))
    return std::move(error);
  if (llvm::Error error = checkReport())
    return std::move(error);
  if (llvm::Error error = parseChips(chip, options))
    return std::move(error);
  options.report = report.getNumOccurrences() || options.emit == Emit::None;
  llvm::StringRef named = output == "-" ? input : output;
  if (named != "-")
    options.name =
        options.emit == Emit::Shared ? llvm::sys::path::filename(output).str() : llvm::sys::path::stem(named).str();
  options.cpu.cpu = mcpu;
  options.cpu.features = mattr;
  options.cpu.openmp = !noOpenMP;
  options.cpu.linker = linker;
  options.cpu.optLevel = options.cuda.optLevel = optLevel;
  options.schedule = schedule.get();
  options.fuse = !noFuse;
  options.lanes = lanes;
  options.cuda.toolkit.root = cudaPath;
  options.cuda.toolkit.ptxas = ptxas;
  options.cuda.toolkit.fatbinary = fatbinary;
  options.cuda.toolkit.libdevice = libdevice;
  if (llvm::Error error = verifyOptions(options))
    return std::move(error);
  return options;
}

llvm::Error Driver::checkOutputs() const {
  if (options.emit != Emit::None) {
    if (llvm::Error error = checkOutput(commandLine.output))
      return error;
    if (isBinary(options.emit) && commandLine.output == "-" && llvm::sys::Process::StandardOutIsDisplayed())
      return llvm::createStringError("the product is binary and would go to the terminal: name a file with -o");
  }
  return commandLine.reportFile.empty() ? llvm::Error::success() : checkOutput(commandLine.reportFile);
}

llvm::Error Driver::writeReport(const Report &report) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  commandLine.report == "json" ? printJson(report, stream) : printText(report, stream);
  if (!commandLine.reportFile.empty())
    return writeOutput(commandLine.reportFile, text);
  llvm::errs() << text;
  return llvm::Error::success();
}

LogicalResult Driver::run() {
  if (failed(report(checkOutputs())))
    return failure();
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(commandLine.input, &message);
  if (!file)
    return report(llvm::createStringError(message));

  DialectRegistry registry;
  registerCompilerDialects(registry);
  // One module, a few kernels: threads would cost more than they bring, and would mix what passes print.
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return failure();
  // What is wrong with the whole file is said at its beginning; MLIR has no line for it.
  if (auto location = dyn_cast<FileLineColLoc>(module->getLoc()); location && location.getLine() == 0)
    (*module)->setLoc(FileLineColLoc::get(location.getFilename(), 1, 1));

  DefaultTimingManager timing;
  applyDefaultTimingManagerCLOptions(timing);
  TimingScope time = timing.getRootScope();
  options.configurePasses = [&time](PassManager &passes) {
    passes.enableTiming(time);
    return applyPassManagerCLOptions(passes);
  };
  FailureOr<Product> product = compile(*module, options);
  if (failed(product))
    return failure();
  if (options.emit != Emit::None &&
      failed(report(writeOutput(commandLine.output, product->contents, options.emit == Emit::Shared))))
    return failure();
  return product->report ? report(writeReport(*product->report)) : success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  CommandLine commandLine;
  registerAsmPrinterCLOptions();
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  cl::HideUnrelatedOptions(commandLine.category);
  cl::SetVersionPrinter([](llvm::raw_ostream &stream) { stream << "nagc " NAG_VERSION "\n"; });
  cl::ParseCommandLineOptions(argc, argv,
                              "Compiles the public functions of a file of nag operations to kernels.\n\n"
                              "MLIR's options for passes (--mlir-timing, --mlir-print-ir-after-all, ...) are among "
                              "those that --help-hidden lists.\n");
  llvm::Expected<CompileOptions> options = commandLine.getOptions();
  if (!options) {
    llvm::WithColor::error(llvm::errs(), "nagc") << llvm::toString(options.takeError()) << "\n";
    return 1;
  }
  return Driver(commandLine, std::move(*options)).run().succeeded() ? 0 : 1;
}
