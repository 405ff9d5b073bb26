#!/bin/sh
# Trains the reader on data/ and puts its weights into the program. Authors named in
# WITHOUT are left out; their rows say how right it is.
set -eu
cd "$(dirname "$0")"
work=${1:-work}
without=${WITHOUT:-a2,a6,a15}
python3 prepare.py "$work/rows"
python3 train.py "$work/rows" "$work/first" --without "$without" --epochs 2 --rate 5e-4
python3 train.py "$work/rows" "$work/second" --begin "$work/first/reader.npz" --without "$without" --house .35 --epochs 2 --rate 7e-4
python3 train.py "$work/rows" "$work/reader" --begin "$work/second/reader.npz" --without "$without" --house .35 --epochs .65 --rate 6e-4
python3 export.py "$work/reader" $(python3 calibrate.py "$work/reader")
cd ../..
go run ./lab/reader/pack "lab/reader/$work/reader" internal/reader/weights/reader.memoir
