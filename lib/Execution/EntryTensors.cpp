//===- EntryTensors.cpp - The tensors that an entry is run on -----------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Resolves what the command line says of arguments against their types.

#include "nag/Execution/EntryTensors.h"

#include "nag/Reference/Evaluator.h"
#include "nag/Reference/Operations.h"
#include "nag/Support/Npy.h"

#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace nag;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

static std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// The name that the module gives to an argument or a result, if any.
static StringRef getGivenName(func::FuncOp function, unsigned index, bool results) {
  auto name = results ? function.getResultAttrOfType<StringAttr>(index, "nag.name")
                      : function.getArgAttrOfType<StringAttr>(index, "nag.name");
  return name ? name.getValue() : StringRef();
}

/// "argument 1 (branch)".
static std::string describe(func::FuncOp function, unsigned index) {
  StringRef name = getGivenName(function, index, /*results=*/false);
  Role role = findRole(function.getArgument(index));
  if (name.empty() && role != Role::Other)
    name = getName(role);
  std::string text = "argument " + std::to_string(index);
  return name.empty() ? text : text + " (" + name.str() + ")";
}

Expected<std::pair<unsigned, std::string>> nag::parseIndexed(func::FuncOp function, StringRef text, StringRef flag,
                                                             bool results) {
  auto [key, value] = text.split('=');
  if (key.size() == text.size() || value.empty())
    return createStringError(flag + "=" + text + ": expected N=" +
                             (flag == "--random"         ? "DISTRIBUTION"
                              : flag.ends_with("layout") ? "OFFSET:PAD"
                                                         : "FILE"));
  unsigned count = results ? function.getNumResults() : function.getNumArguments();
  StringRef kind = results ? "result" : "argument";
  unsigned index = count;
  if (key.getAsInteger(10, index))
    for (unsigned i = 0; i < count; ++i)
      if (getGivenName(function, i, results) == key)
        index = i;
  if (index >= count)
    return createStringError(flag + "=" + text + ": '" + function.getName() + "' has no " + kind + " " + key +
                             "; it has " + Twine(count) + ", counted from 0");
  return std::pair(index, value.str());
}

/// The layouts that the command line gives to single arguments, or results, by index.
static Expected<std::map<unsigned, HostLayout>> parseLayouts(func::FuncOp function, ArrayRef<std::string> texts,
                                                             bool results) {
  StringRef flag = results ? "--result-layout" : "--layout";
  std::map<unsigned, HostLayout> layouts;
  for (const std::string &text : texts) {
    auto parsed = parseIndexed(function, text, flag, results);
    if (!parsed)
      return parsed.takeError();
    auto [offset, pad] = StringRef(parsed->second).split(':');
    HostLayout &layout = layouts[parsed->first];
    if (offset.getAsInteger(10, layout.offset) || pad.getAsInteger(10, layout.rowPad) || layout.offset < 0 ||
        layout.rowPad < 0)
      return createStringError(flag + "=" + text + ": expected N=OFFSET:PAD, both at least 0");
  }
  return layouts;
}

namespace {

/// The inputs of one entry, argument by argument.
class InputMaker {
public:
  InputMaker(func::FuncOp function, const TensorRequest &request) : function(function), request(request) {}

  Expected<std::vector<HostTensor>> make() {
    if (Error error = checkTypes())
      return error;
    if (Error error = parseRequest())
      return error;
    std::vector<HostTensor> inputs;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      Expected<HostTensor> input = files.count(i) ? read(i) : makeRandom(i);
      if (!input)
        return input.takeError();
      inputs.push_back(std::move(*input));
    }
    return inputs;
  }

private:
  RankedTensorType getType(unsigned index) { return cast<RankedTensorType>(function.getArgumentTypes()[index]); }
  ElementType getElement(unsigned index) { return *getElementType(getType(index).getElementType()); }

  HostLayout getLayout(unsigned index) {
    if (auto own = layouts.find(index); own != layouts.end())
      return own->second;
    return isRows(findRole(function.getArgument(index))) ? request.layout : HostLayout();
  }

  Error checkTypes() {
    auto check = [&](Type type, const Twine &what) -> Error {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (tensor && getElementType(tensor.getElementType()))
        return Error::success();
      return createStringError(what + " of '" + function.getName() + "' is " + print(type) +
                               "; expected a ranked tensor of f64, f32, f16 or bf16");
    };
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
      if (Error error = check(type, "argument " + Twine(i)))
        return error;
    for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
      if (Error error = check(type, "result " + Twine(i)))
        return error;
    return Error::success();
  }

  Error parseRequest() {
    for (const std::string &text : request.files) {
      auto parsed = parseIndexed(function, text, "--arg", /*results=*/false);
      if (!parsed)
        return parsed.takeError();
      if (!files.insert(*parsed).second)
        return createStringError("--arg=" + text + ": " + describe(function, parsed->first) + " is given twice");
    }
    for (const std::string &text : request.distributions) {
      auto parsed = parseIndexed(function, text, "--random", /*results=*/false);
      if (!parsed)
        return parsed.takeError();
      std::optional<Distribution> distribution = Distribution::parse(parsed->second);
      if (!distribution)
        return createStringError("--random=" + text +
                                 ": expected normal, normal:SCALE, uniform:LOW:HIGH or constant:VALUE");
      if (files.count(parsed->first))
        return createStringError("--random=" + text + ": " + describe(function, parsed->first) +
                                 " is read from a file");
      distributions[parsed->first] = *distribution;
    }
    auto parsed = parseLayouts(function, request.layouts, /*results=*/false);
    if (!parsed)
      return parsed.takeError();
    layouts = std::move(*parsed);
    if (request.rows)
      sizes[0] = *request.rows;
    for (StringRef text : request.dims) {
      auto [dim, size] = text.split('=');
      unsigned number;
      int64_t value;
      if (dim.getAsInteger(10, number) || size.getAsInteger(10, value) || value < 0)
        return createStringError("--dim=" + text + ": expected DIMENSION=SIZE, with a size of at least 0");
      sizes[number] = value;
    }
    return takeSizesFromFiles();
  }

  /// Sizes that the user does not give follow from the files of other arguments: tokens are shared.
  Error takeSizesFromFiles() {
    for (auto &[index, file] : files) {
      Expected<SmallVector<int64_t>> shape = readNpyShape(file);
      if (!shape)
        return createStringError(describe(function, index) + ": " + llvm::toString(shape.takeError()));
      RankedTensorType type = getType(index);
      for (unsigned i = 0; i < shape->size() && i < type.getRank(); ++i)
        if (type.isDynamicDim(i))
          sizes.try_emplace(i, (*shape)[i]);
    }
    return Error::success();
  }

  Expected<HostTensor> read(unsigned index) {
    Expected<HostTensor> tensor = readNpy(files[index], getElement(index), getLayout(index));
    if (!tensor)
      return createStringError(describe(function, index) + ": " + llvm::toString(tensor.takeError()));
    if (!isCompatibleShape(getType(index), tensor->getShape()))
      return createStringError(describe(function, index) + ": '" + files[index] + "' holds " +
                               toString(tensor->getShape(), tensor->getType()) + "; expected " + print(getType(index)));
    return tensor;
  }

  Expected<HostTensor> makeRandom(unsigned index) {
    SmallVector<int64_t> shape(getType(index).getShape());
    for (auto [i, size] : llvm::enumerate(shape)) {
      if (!ShapedType::isDynamic(size))
        continue;
      auto known = sizes.find(unsigned(i));
      if (known == sizes.end())
        return createStringError("dimension " + Twine(i) + " of " + describe(function, index) + ", " +
                                 print(getType(index)) + ", is dynamic: give --" +
                                 (i ? "dim=" + Twine(i) + "=" : "rows=") + "SIZE, or a file by --arg");
      size = known->second;
    }
    Expected<HostTensor> tensor = HostTensor::create(getElement(index), shape, getLayout(index));
    if (!tensor)
      return createStringError(describe(function, index) + ": " + llvm::toString(tensor.takeError()));
    auto given = distributions.find(index);
    fillRandom(*tensor,
               given == distributions.end() ? Distribution::of(findRole(function.getArgument(index))) : given->second,
               request.seed, index);
    return tensor;
  }

  func::FuncOp function;
  const TensorRequest &request;
  std::map<unsigned, std::string> files;
  std::map<unsigned, Distribution> distributions;
  std::map<unsigned, HostLayout> layouts;
  std::map<unsigned, int64_t> sizes;
};

} // namespace

Expected<std::vector<HostTensor>> nag::makeInputs(func::FuncOp function, const TensorRequest &request) {
  return InputMaker(function, request).make();
}

Expected<std::vector<HostTensor>> nag::makeOutputs(func::FuncOp function, ArrayRef<HostTensor> inputs,
                                                   const TensorRequest &request) {
  SmallVector<SmallVector<int64_t>> shapes;
  auto isStatic = [](Type type) { return cast<RankedTensorType>(type).hasStaticShape(); };
  if (llvm::all_of(function.getResultTypes(), isStatic)) {
    for (Type type : function.getResultTypes())
      shapes.emplace_back(cast<RankedTensorType>(type).getShape());
  } else {
    SmallVector<SmallVector<int64_t>> arguments;
    for (const HostTensor &input : inputs)
      arguments.emplace_back(input.getShape());
    FailureOr<SmallVector<SmallVector<int64_t>>> inferred = inferResultShapes(function, arguments);
    if (failed(inferred))
      return createStringError("");
    shapes = std::move(*inferred);
  }

  auto layouts = parseLayouts(function, request.resultLayouts, /*results=*/true);
  if (!layouts)
    return layouts.takeError();
  Block &body = function.getBody().front();
  std::vector<HostTensor> outputs;
  for (auto [i, type, shape] : llvm::enumerate(function.getResultTypes(), shapes)) {
    Operation *terminator = llvm::hasSingleElement(function.getBody()) ? body.getTerminator() : nullptr;
    bool rows = terminator && isRowResult(terminator->getOperand(unsigned(i)));
    auto own = layouts->find(unsigned(i));
    HostLayout layout = own != layouts->end() ? own->second : rows ? request.layout : HostLayout();
    Expected<HostTensor> output =
        HostTensor::create(*getElementType(cast<RankedTensorType>(type).getElementType()), shape, layout);
    if (!output)
      return createStringError("result " + Twine(i) + ": " + llvm::toString(output.takeError()));
    outputs.push_back(std::move(*output));
  }
  return outputs;
}
