//===- Kernels.cpp - What nag-bench measures ----------------------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Kernels.h"

#include "llvm/Support/FormatVariadic.h"

using namespace nag;
using llvm::formatv;

std::string BenchKernel::getTitle() const {
  if (width == 0)
    return name;
  std::string title = formatv("{0}/d:{1}/{2}", name, width, type);
  return components ? title + formatv("/C:{0}", components).str() : title;
}

namespace {

/// Types and parameters of one kernel, as they are written.
struct Text {
  explicit Text(const BenchKernel &kernel)
      : rows(formatv("tensor<?x{0}x{1}>", kernel.width, kernel.type)), arithmetic(kernel.type == "f64" ? "f64" : "f32"),
        numbers(formatv("tensor<?x{0}>", arithmetic)), number(formatv("tensor<{0}>", arithmetic)) {
    if (kernel.components == 0)
      return;
    std::string gates = formatv("tensor<{0}x{1}>", kernel.components, arithmetic);
    std::string w = formatv("tensor<{0}x{1}x{2}>", kernel.components, kernel.width, kernel.type);
    parameters =
        formatv(", %beta: {0} {{nag.name = \"beta\"}, %w: {1} {{nag.name = \"w\"}, %b: {2} {{nag.name = \"b\"}, "
                "%logits: {2} {{nag.name = \"logits\"}",
                number, w, gates);
    parameterTypes = formatv(", {0}, {1}, {2}, {2}", number, w, gates);
    modulator = " modulator(%beta, %w, %b, %logits)";
  }

  std::string rows, arithmetic, numbers, number, parameters, parameterTypes, modulator;
};

std::string makeUpdate(const BenchKernel &kernel, bool isLanes) {
  Text t(kernel);
  bool modulates = kernel.components > 0;
  const char *format =
      isLanes ? "%D: {0} {{nag.name = \"D\"}, %s: {1} {{nag.name = \"s\"}" : "%R: {0} {{nag.name = \"R\"}";
  std::string stream = formatv(/*Validate=*/false, format, t.rows, t.numbers);
  std::string values = isLanes ? "%D, %s" : "%R", types = isLanes ? t.rows + ", " + t.numbers : t.rows;
  std::string results = types + (modulates ? ", " + t.numbers : "");
  std::string names = isLanes ? (modulates ? "%0, %1, %2" : "%0, %1") : (modulates ? "%0, %1" : "%0");
  return formatv(R"(func.func @kernel({0}, %f: {1} {{nag.name = "f"}, %alpha: {2} {{nag.name = "alpha"}{3}) -> ({4}) {{
  {5} = nag.update {6} branch %f alpha %alpha{7}
      : ({8}, {1}, {2}{9}) -> ({4})
  return {5} : {4}
}
)",
                 stream, t.rows, t.number, t.parameters, results, names, values, t.modulator, types, t.parameterTypes);
}

std::string makeBoundary(const BenchKernel &kernel) {
  Text t(kernel);
  return formatv(
      R"(func.func @kernel(%D: {0} {{nag.name = "D"}, %s: {1} {{nag.name = "s"}, %f: {0} {{nag.name = "f"}, %m: {1} {{nag.name = "m"},
    %alpha: {2} {{nag.name = "alpha"}{3}) -> ({0}, {1}, {1}) {{
  %D1, %s1 = nag.update %D, %s branch %f alpha %alpha modulated_by %m
      : ({0}, {1}, {0}, {2}, {1}) -> ({0}, {1})
  %m1 = nag.modulate %D1 by(%beta, %w, %b, %logits) : ({0}{4}) -> {1}
  return %D1, %s1, %m1 : {0}, {1}, {1}
}
)",
      t.rows, t.numbers, t.number, t.parameters, t.parameterTypes);
}

std::string makeModulate(const BenchKernel &kernel) {
  Text t(kernel);
  return formatv(R"(func.func @kernel(%D: {0} {{nag.name = "D"}{1}) -> {2} {{
  %0 = nag.modulate %D by(%beta, %w, %b, %logits) : ({0}{3}) -> {2}
  return %0 : {2}
}
)",
                 t.rows, t.parameters, t.numbers, t.parameterTypes);
}

std::string makeSplit(const BenchKernel &kernel) {
  Text t(kernel);
  return formatv(R"(func.func @kernel(%R: {0} {{nag.name = "R"}) -> ({0}, {1}) {{
  %D, %s = nag.split %R : {0} -> {0}, {1}
  return %D, %s : {0}, {1}
}
)",
                 t.rows, t.numbers);
}

std::string makeMerge(const BenchKernel &kernel) {
  Text t(kernel);
  return formatv(R"(func.func @kernel(%D: {0} {{nag.name = "D"}, %s: {1} {{nag.name = "s"}) -> {0} {{
  %R = nag.merge %D, %s : {0}, {1} -> {0}
  return %R : {0}
}
)",
                 t.rows, t.numbers);
}

const KernelKind kKinds[] = {
    {"update_lanes", "the update in lane form (eq. 16-17)", true, false,
     [](const BenchKernel &kernel) { return makeUpdate(kernel, /*isLanes=*/true); }},
    {"update_residual", "the update in residual form (eq. 14)", true, false,
     [](const BenchKernel &kernel) { return makeUpdate(kernel, /*isLanes=*/false); }},
    {"boundary", "the update in lane form and the modulator of the next sub-layer", true, true, makeBoundary},
    {"modulate", "the modulator alone (eq. 13)", true, true, makeModulate},
    {"split", "direction and log-norm of the stream (eq. 3-5)", false, false, makeSplit},
    {"merge", "the stream of a direction and a log-norm", false, false, makeMerge},
};

} // namespace

llvm::ArrayRef<KernelKind> nag::getKernelKinds() { return kKinds; }

BenchKernel nag::makeKernel(const KernelKind &kind, int64_t width, llvm::StringRef type, int64_t components) {
  BenchKernel kernel{kind.name.str(), "kernel", "", width, components, type.str()};
  kernel.source = kind.getBody(kernel);
  return kernel;
}
