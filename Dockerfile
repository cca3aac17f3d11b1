# An image of the program alone: docker build -t fenchel . && docker run --rm -v "$PWD:/data" fenchel train /data/mine.csv -o /data/mine.model
FROM golang:1.26 AS build
WORKDIR /src
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -buildid=" -o /fenchel ./cmd/fenchel

FROM scratch
COPY --from=build /fenchel /fenchel
ENTRYPOINT ["/fenchel"]
