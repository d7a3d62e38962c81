# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %t write
# RUN: nag-run %S/Inputs/residual.mlir --target=reference --arg 0=%t/R.npy --arg 1=%t/f.npy --arg 2=%t/alpha.npy \
# RUN:   --arg 3=%t/beta.npy --arg 4=%t/w.npy --arg 5=%t/b.npy --arg 6=%t/logits.npy --out=%t/f32
# RUN: nag-run %S/Inputs/identity.mlir --target=reference --arg 0=%t/V2.npy --result 0=%t/V2-out.npy
# RUN: nag-run %S/Inputs/identity.mlir --target=reference --arg 0=%t/u2.npy --result 0=%t/u2-out.npy
# RUN: cmp %t/V2-out.npy %t/u2-out.npy
# RUN: %python %s %t read
"""Files of NumPy go in and come out: the golden row in f32, and bf16 as ml_dtypes and as its bits."""

import sys

import ml_dtypes
import numpy as np

folder, what = sys.argv[1:]
bf16 = np.array([[1, -2.5, 3e38, 0.1], [0, np.inf, 1e-40, 7]], ml_dtypes.bfloat16)
if what == "write":
    arrays = dict(R=[[1, 2, -2, 4]], f=[[0.5, -1, 3, 2]], alpha=1, beta=0.5, w=[[0.5, -0.25, 0, 0.125], [-0.5, 0.25, 0.5, 0]],
                  b=[0, -1], logits=[0, 1])
    for name, values in arrays.items():
        np.save(f"{folder}/{name}.npy", np.array(values, np.float32))
    np.save(f"{folder}/V2.npy", bf16)
    np.save(f"{folder}/u2.npy", bf16.view(np.uint16))
else:
    result = np.load(f"{folder}/f32/result0.npy")
    assert result.dtype == np.float32 and result.shape == (1, 4), result
    assert np.allclose(result, [[0.601851831, 0.374228309, -0.611221266, 5.60681225]], rtol=1e-7, atol=0), result
    assert np.allclose(np.load(f"{folder}/f32/result1.npy"), [0.540821876], rtol=1e-7, atol=0)
    assert np.array_equal(np.load(f"{folder}/V2-out.npy").view(ml_dtypes.bfloat16), bf16)
