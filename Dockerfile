# An image of the program alone, from a program for Linux: in a checkout
#   CGO_ENABLED=0 go build -trimpath -o fenchel-linux-amd64 ./cmd/fenchel && docker build -t fenchel .
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/data" fenchel train /data/mine.csv -o /data/mine.model
# A release (.ci/release) brings this file with the programs.
FROM scratch
ARG TARGETARCH
COPY fenchel-linux-$TARGETARCH /fenchel
COPY LICENSE /LICENSE
USER 65532:65532
ENTRYPOINT ["/fenchel"]
