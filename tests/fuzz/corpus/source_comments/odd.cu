// warpbound: loop max 3
for (int i = 0; // ( {
     i < f("// )", R"x( } )x", '\'');
     ++i) { a(); }
#define X \
  for (;;
/* warpbound: uniform */ if (a) { b(1'000); }
do { // warpbound: loop min 1 max 2
  c();
} while (d &&
   e);
