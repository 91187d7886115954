// warpbound: range n 0..4096
void f(int n);
