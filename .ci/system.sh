#!/usr/bin/env bash
# What tests need that pip does not bring: Java for Spark, LaTeX with booktabs, and Chromium. Installs the package of the
# distribution where one is not there and apt-get may be used. Otherwise these tests are skipped, and say why.
set -euo pipefail

as_root=""
test "$(id -u)" -eq 0 || as_root="sudo --non-interactive"

# Installs a package of the distribution unless this command finds that it is there.
bring() { # what needs it, the package, the command
    if "${@:3}" >/dev/null 2>&1; then
        return
    fi
    if ! command -v apt-get >/dev/null || ! $as_root true 2>/dev/null; then
        echo "$2 is not there, and apt-get cannot be used to install it: $1 are skipped"
    elif ! { $as_root apt-get update -qq && $as_root apt-get install -qq --yes --no-install-recommends "$2" >/dev/null; }; then
        echo "apt-get could not install $2: $1 are skipped"
    fi
}

bring "the tests of Spark" default-jre-headless java -version
bring "the tests that compile LaTeX" texlive-latex-recommended kpsewhich booktabs.sty
bring "the tests in a browser" chromium \
    bash -c "command -v chromium || command -v chromium-browser || command -v google-chrome || command -v chrome"
