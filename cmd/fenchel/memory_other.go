//go:build !linux

package main

func largeHeap() {}
