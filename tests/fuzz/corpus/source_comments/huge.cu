// warpbound: loop max 99999999999999999999
for (;;
