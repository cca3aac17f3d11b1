"""One search of scikit-learn: a JSON object on standard input says which, one on standard output how long it took."""
import json
import sys
import time
import warnings

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegressionCV
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.svm import SVC

warnings.filterwarnings("ignore")
ask = json.load(sys.stdin)
x, y = load_svmlight_file(ask["file"])
rows = np.arange(ask["rows"]) * x.shape[0] // ask["rows"]
x, y = x[rows], y[rows]
split = PredefinedSplit(np.array(ask["folds"].split(), dtype=int))
values = ask["values"]
begun = time.perf_counter()
if ask["kernel"]:
    name = "scikit-learn GridSearchCV"
    found = GridSearchCV(SVC(kernel="rbf", cache_size=1000), {"C": values["C"], "gamma": values["gamma"]}, cv=split, n_jobs=ask["threads"], refit=False).fit(x, y)
    seconds, score, setting = time.perf_counter() - begun, found.best_score_, found.best_params_
else:
    name = "scikit-learn LogisticRegressionCV"
    found = LogisticRegressionCV(Cs=values["C"], cv=split, n_jobs=ask["threads"], refit=False).fit(x, y)
    seconds = time.perf_counter() - begun
    means = np.mean(list(found.scores_.values())[0], axis=0).ravel()
    score, setting = float(means.max()), {"C": values["C"][int(means.argmax())]}
print(json.dumps({"contender": name, "setting": json.dumps(setting), "seconds": seconds, "score": float(score)}))
