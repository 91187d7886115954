#!/bin/sh -e
# Makes the binaries beside this file again (nvcc 13.0.88), and the listing that the stand-in nvdisasm prints.
cd "$(dirname "$0")"
for target in 75 80 90; do nvcc -cubin -arch=sm_$target -o two_kernels.sm_$target.cubin two_kernels.cu; done
nvcc -cubin -arch=sm_80 -o large_parameter.sm_80.cubin large_parameter.cu
nvcc -cubin -arch=sm_100 -o one_kernel.sm_100.cubin one_kernel.cu
nvcc -fatbin --no-compress -o two_kernels.fatbin two_kernels.cu \
  -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -gencode arch=compute_90,code=compute_90
nvcc -ptx -arch=compute_80 -o two_kernels.ptx two_kernels.cu
gzip -nfk9 two_kernels.ptx; xz -fk9 two_kernels.ptx
nvdisasm -c -hex -g two_kernels.sm_80.cubin > two_kernels.sm_80.sass
