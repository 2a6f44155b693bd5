#!/bin/sh
# Stage: test. Debian's Graphviz source -> dot, with its layout engine and its plain output formats, and with nothing
# changed but the compiler: build-graphviz.sh COMPILER PROGRAM [FLAG...].
set -eu
compiler=$1 program=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
folder=${DPROF_REAL:-$here/../../build/real}/graphviz
sh "$here/need-packages.sh" bison flex xz-utils
sh "$here/../../scripts/fetch-debian-source.sh" graphviz "$folder"
objects=$(mktemp -d "$folder/objects-XXXXXX")
trap 'rm -rf "$objects"' EXIT
cd "$folder/source"

# What configure and make would find out and make.
cat >"$objects/config.h" <<'END'
#define BROWSER "xdg-open"
#define DEFAULT_DPI 96
#define DEFAULT_FONTPATH "/usr/share/fonts"
#define GVPLUGIN_CONFIG_FILE "config6"
#define PACKAGE_VERSION "2.42.2"
#define HAVE_DRAND48 1
#define HAVE_LRAND48 1
#define HAVE_SETENV 1
#define HAVE_SINCOS 1
#define HAVE_SRAND48 1
#define HAVE_STRCASECMP 1
#define HAVE_STRNCASECMP 1
#define HAVE_SYS_TIME_H 1
#define HAVE_UNISTD_H 1
#define HAVE_VSNPRINTF 1
END
echo '#define BUILDDATE "0"' >"$objects/builddate.h"
renamed() { sed -e "s/yy/$1/g" -e 's/unsigned long int/uint64_t/g' -e 's/unsigned long/uint64_t/g'; }
# parser GRAMMAR PREFIX NAME
parser() {
  bison -y -d "$1" -o "$objects/y.tab.c" 2>/dev/null
  renamed "$2" <"$objects/y.tab.c" | sed "s/y\.tab\.h/$3.h/" >"$objects/$3.c"
  renamed "$2" <"$objects/y.tab.h" >"$objects/$3.h"
}
parser lib/cgraph/grammar.y aag grammar
parser lib/common/htmlparse.y html htmlparse
flex -o "$objects/lex.c" lib/cgraph/scan.l
sed 's/yy/aag/g' "$objects/lex.c" >"$objects/scan.c"
rm "$objects/y.tab.c" "$objects/y.tab.h" "$objects/lex.c"
{
  awk -f awk/brewer.awk lib/common/brewer_colors
  awk -f awk/svgcolor.awk lib/common/svgcolor_names
  cat lib/common/color_names
} | LC_ALL=C sort >"$objects/color_lib"
awk -f awk/colortbl.awk "$objects/color_lib" >"$objects/colortbl.h"
{
  cat lib/common/ps_fontmap.txt
  perl lib/common/mksvgfonts.pl lib/common/fontmap.cfg lib/common/ps_font_equiv.txt | LC_ALL=C sort
} >"$objects/ps_font_equiv.h"
awk -f awk/stringize.awk plugin/core/ps.txt >"$objects/ps.h"
cat >"$objects/builtins.c" <<'END'
#include "gvplugin.h"
extern gvplugin_library_t gvplugin_dot_layout_LTX_library, gvplugin_core_LTX_library;
lt_symlist_t lt_preloaded_symbols[] = {
    {"gvplugin_dot_layout_LTX_library", (void *)(&gvplugin_dot_layout_LTX_library)},
    {"gvplugin_core_LTX_library", (void *)(&gvplugin_core_LTX_library)},
    {0, 0}};
END

includes="-I$objects -I."
for part in cdt cgraph common gvc pathplan label pack xdot fdpgen ortho dotgen; do
  includes="$includes -Ilib/$part"
done
# Programs of their own, other platforms' files, and what is no part of the library.
leave='diagen|hpglgen|mifgen|mpgen|picgen|vtxgen|strcasecmp|strncasecmp|nrtmain|ptest|cgraph/(main|tester|cmpnd)'
leave="$leave|buffstderr|core_(dia|hpgl|mif|vtx)"
sources=$(ls lib/cdt/*.c lib/cgraph/*.c lib/common/*.c lib/gvc/*.c lib/pathplan/*.c lib/label/*.c lib/pack/*.c \
  lib/xdot/*.c lib/ortho/*.c lib/dotgen/*.c plugin/core/*.c plugin/dot_layout/*.c cmd/dot/dot.c "$objects"/*.c |
  grep -vE "$leave")
# The words of `includes` are flags.
for source in $sources; do echo "$source"; done |
  xargs -P 2 -I SOURCE sh -c '"$@" -c SOURCE -o "$0/$(echo SOURCE | tr / _).o"' "$objects" \
    "$compiler" -std=gnu11 -O2 -w -Wno-incompatible-function-pointer-types \
    -Wno-implicit-function-declaration -DHAVE_CONFIG_H -DDEMAND_LOADING=0 -DORTHO -D_BLD_gvc=1 -D_BLD_cdt=1 \
    -DYY_NO_UNISTD_H "$@" $includes
"$compiler" -O2 "$objects"/*.o -o "$program" -lm
