// Package browser tests pages and pictures where readers see them: in a browser (Chromium), which is asked for boxes of words,
// colours, requests and errors. Without one its tests skip.
package browser
