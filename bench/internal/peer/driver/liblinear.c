/* Times train() of the system's LIBLINEAR alone.
 *
 *   liblinear-driver            prints the library's version
 *   liblinear-driver task.bin   loads the rows and prints "ready"; then each
 *                               line "solver eps C model" is answered by the
 *                               seconds of train(), after the model is written,
 *                               and by "capped" if it stopped at its limit of
 *                               iterations
 *
 * task.bin is written by task.go: magic, n, d, nonzeros, row offsets, targets,
 * columns from 0, values. In memory the rows are what LIBLINEAR's own reader
 * makes of the text: one array of nodes, each row ended by index -1.
 */
#include <linear.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int capped; /* it says so, and in no other way */

static void listen(const char *text)
{
	if (strstr(text, "max number of iterations"))
		capped = 1;
}

static void *need(size_t bytes)
{
	void *p = malloc(bytes ? bytes : 1);
	if (!p) {
		fprintf(stderr, "out of memory: %zu bytes\n", bytes);
		exit(1);
	}
	return p;
}

static void *load(FILE *file, size_t size, int64_t count)
{
	void *p = need(size * (size_t)count);
	if (fread(p, size, (size_t)count, file) != (size_t)count) {
		fprintf(stderr, "task is too short\n");
		exit(1);
	}
	return p;
}

static struct problem read_task(const char *path)
{
	FILE *file = fopen(path, "rb");
	char magic[8];
	int64_t size[3];
	if (!file || fread(magic, 1, 8, file) != 8 || memcmp(magic, "FENBENCH", 8) || fread(size, 8, 3, file) != 3) {
		fprintf(stderr, "%s: not a task\n", path);
		exit(1);
	}
	int64_t n = size[0], nonzeros = size[2];
	int64_t *start = load(file, 8, n + 1);
	double *y = load(file, 8, n);
	uint32_t *index = load(file, 4, nonzeros);
	float *value = load(file, 4, nonzeros);
	fclose(file);

	struct problem p = {.l = (int)n, .n = (int)size[1], .y = y, .bias = -1};
	p.x = need(n * sizeof *p.x);
	struct feature_node *node = need((nonzeros + n) * sizeof *node);
	for (int64_t i = 0; i < n; i++) {
		p.x[i] = node;
		for (int64_t k = start[i]; k < start[i + 1]; k++, node++) {
			node->index = (int)index[k] + 1;
			node->value = value[k];
		}
		node++->index = -1;
	}
	free(start);
	free(index);
	free(value);
	return p;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		printf("%d.%d\n", liblinear_version / 100, liblinear_version % 100);
		return 0;
	}
	struct problem p = read_task(argv[1]);
	set_print_string_function(listen);
	puts("ready");
	fflush(stdout);

	char model_path[4096];
	struct parameter q = {.p = 0.1};
	while (scanf("%d %lf %lf %4095[^\n]", &q.solver_type, &q.eps, &q.C, model_path) == 4) {
		const char *wrong = check_parameter(&p, &q);
		if (wrong) {
			printf("%s\n", wrong);
			fflush(stdout);
			continue;
		}
		srand(1);
		capped = 0;
		double begin = now();
		struct model *m = train(&p, &q);
		double seconds = now() - begin;
		char *path = model_path + strspn(model_path, " ");
		if (save_model(path, m))
			printf("cannot write %s\n", path);
		else
			printf("%.9f%s\n", seconds, capped ? " capped" : "");
		fflush(stdout);
		free_and_destroy_model(&m);
	}
	return 0;
}
