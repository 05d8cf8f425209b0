# Sourced by ./mvnw, ./isoloss and .ci/run (POSIX sh): finds a JDK of version 25 or newer and exports JAVA_HOME.
# Also sets ISOLOSS_JDK to its exact version, and sees to a locale in which Java can read every file name. Reads each JDK's `release` file, so no Java starts while looking.
# Order: JAVA_HOME, `java` on PATH, the usual install folders (25 itself before anything newer).
# Without one it prints one line on standard error and returns 1.

isoloss_jdk_major() { # prints the major version of the JDK in folder $1, nothing if there is no complete JDK
  if [ -r "$1/release" ] && [ -x "$1/bin/javac" ] && [ -x "$1/bin/java" ]; then
    sed -n 's/^JAVA_VERSION="\{0,1\}\([0-9][0-9]*\).*/\1/p' "$1/release"
  fi
}

isoloss_follow() { # prints the file that $1 finally links to
  isoloss_file=$1
  while [ -L "$isoloss_file" ]; do
    isoloss_link=$(readlink "$isoloss_file")
    case $isoloss_link in
      /*) isoloss_file=$isoloss_link ;;
      *) isoloss_file=$(dirname "$isoloss_file")/$isoloss_link ;;
    esac
  done
  printf '%s\n' "$isoloss_file"
}

isoloss_take_jdk() { # takes the JDK in folder $1 if its major version lies in $2..$3
  isoloss_major=$(isoloss_jdk_major "$1")
  [ -n "$isoloss_major" ] && [ "$isoloss_major" -ge "$2" ] && [ "$isoloss_major" -le "$3" ] || return 1
  JAVA_HOME=$1
  export JAVA_HOME
}

isoloss_look_in_folders() { # takes the first JDK of major version $1..$2 in the usual install folders
  for isoloss_home in \
    /usr/lib/jvm/* /usr/lib64/jvm/* /usr/java/* /usr/local/openjdk* /usr/local/java/* /usr/local/lib/jvm/* /opt/* \
    /opt/*/* "${HOME:-/nonexistent}"/.sdkman/candidates/java/* "${HOME:-/nonexistent}"/.jdks/* \
    "${HOME:-/nonexistent}"/.local/share/mise/installs/java/* "${HOME:-/nonexistent}"/.asdf/installs/java/* \
    /Library/Java/JavaVirtualMachines/*/Contents/Home \
    "${HOME:-/nonexistent}"/Library/Java/JavaVirtualMachines/*/Contents/Home \
    /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home /usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home; do
    isoloss_take_jdk "$isoloss_home" "$1" "$2" && return 0
  done
  return 1
}

isoloss_find_jdk() {
  if [ -n "${JAVA_HOME:-}" ] && isoloss_take_jdk "$JAVA_HOME" 25 999; then
    return 0
  fi
  isoloss_java=$(command -v java 2>/dev/null || :)
  if [ -n "$isoloss_java" ]; then
    isoloss_java=$(isoloss_follow "$isoloss_java")
    isoloss_take_jdk "$(dirname "$(dirname "$isoloss_java")")" 25 999 && return 0
  fi
  isoloss_look_in_folders 25 25 || isoloss_look_in_folders 26 999
}

# Java reads file names in the encoding of the locale, and takes one that the machine lacks for plain ASCII.
isoloss_utf8_locale() {
  if ! command -v locale >/dev/null 2>&1; then
    case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in
      '' | C | POSIX) LC_ALL=C.UTF-8 && export LC_ALL ;;
    esac
    return
  fi
  case $(locale charmap 2>/dev/null || :) in
    '' | ANSI_X3.4-1968 | US-ASCII | 646) ;; # ASCII alone
    *) return ;;
  esac
  for isoloss_locale in C.UTF-8 C.utf8 en_US.UTF-8; do
    case $(LC_ALL=$isoloss_locale locale charmap 2>/dev/null || :) in
      UTF-8 | utf8) LC_ALL=$isoloss_locale && export LC_ALL && return ;;
    esac
  done
}

isoloss_utf8_locale
if isoloss_find_jdk; then
  ISOLOSS_JDK=$(sed -n 's/^JAVA_RUNTIME_VERSION="\{0,1\}\([^"]*\).*/\1/p' "$JAVA_HOME/release")
  ISOLOSS_JDK=${ISOLOSS_JDK:-$isoloss_major}
else
  echo "isoloss: error: no JDK 25 or newer found (JAVA_HOME, PATH, install folders); install one, for example Temurin 25 from https://adoptium.net, or set JAVA_HOME" >&2
  return 1
fi
