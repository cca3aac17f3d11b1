"""Compares the terms of texts in many scripts with scikit-learn's vectorizers, column for column.

    python bench/python/texts.py [FOLDER] [PAGES]

The texts are manual pages, as Debian's packages manpages-de, -ja, -ru, -zh and others have them below /usr/share/man. FENCHEL_BINARY names the program.
"""
import glob
import gzip
import json
import os
import subprocess
import sys
import tempfile
import unicodedata

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer

folder = sys.argv[1] if len(sys.argv) > 1 else "/usr/share/man"
most = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
program = os.environ.get("FENCHEL_BINARY", "fenchel")


def pages():
    """Yields language and text, the same number of pages of each language as far as there are any."""
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "**/*.gz"), recursive=True)):
        if os.path.islink(path):
            continue
        part = os.path.relpath(path, folder).split(os.sep)
        found.setdefault(part[0] if len(part) > 2 else "en", []).append(path)
    taken = 0
    for turn in range(max(map(len, found.values()), default=0)):
        for language in sorted(found):
            if turn < len(found[language]) and taken < most:
                try:
                    text = gzip.open(found[language][turn]).read().decode()
                except (UnicodeDecodeError, OSError):
                    continue
                if text.strip() and not text.startswith(".so "):
                    taken += 1
                    yield language, text


# Characters that are newer than the tables of this Python are no letters to it.
def known(text):
    return "".join(c if unicodedata.category(c) != "Cn" else " " for c in text)


rows = [(language, known(text)) for language, text in pages()]
if len(rows) < 100:
    sys.exit(f"skipped: found {len(rows)} manual pages below {folder}, expected those of Debian's packages manpages-de, -ja, -ru, -zh and others")
texts = [text for _, text in rows]
print(f"{len(rows)} pages of {len({l for l, _ in rows})} languages, {sum(map(len, texts))} characters")
wrong = 0
with tempfile.TemporaryDirectory() as at:
    with open(f"{at}/rows.jsonl", "w") as out:
        for i, (language, text) in enumerate(rows):
            out.write(json.dumps({"text": text, "y": language}, ensure_ascii=i % 2 == 0) + "\n")
    for name, flags, vectorizer in [
        ("counts", ["--term-weights", "counts"], CountVectorizer()),
        ("tfidf", [], TfidfVectorizer()),
        ("sublinear pairs", ["--ngrams", "1..2", "--min-count", "3", "--max-share", "0.5", "--term-weights", "sublinear"], TfidfVectorizer(ngram_range=(1, 2), min_df=3, max_df=0.5, sublinear_tf=True)),
        ("characters", ["--ngrams", "chars:2..4", "--min-count", "5"], TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), min_df=5)),
        ("hash", ["--hash", "18"], HashingVectorizer(n_features=2**18)),
        ("hash of pairs", ["--hash", "20", "--ngrams", "1..2", "--term-weights", "counts"], HashingVectorizer(n_features=2**20, ngram_range=(1, 2), norm=None)),
    ]:
        subprocess.run([program, "convert", f"{at}/rows.jsonl", f"{at}/x.npz", "--text", "text", "--target", "y", *flags], check=True)
        z = np.load(f"{at}/x.npz", allow_pickle=False)
        got = sp.csr_matrix((z["data"], z["indices"], z["indptr"]), shape=tuple(z["shape"]))
        want = vectorizer.fit_transform(texts)
        if got.shape != want.shape:
            print(f"{name}: found {got.shape}, expected {want.shape}")
            wrong += 1
            continue
        off = abs(got - want)
        worst = off.max() / max(1, abs(want).max())
        print(f"{name}: {want.shape[1]} columns, {want.nnz} nonzeros, largest difference {worst:.1e}")
        wrong += worst > 1e-6
sys.exit(int(wrong))
