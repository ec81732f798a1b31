package service

import (
	"path/filepath"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"imprimatur/adapters/sqlstore"
	"imprimatur/app/config"
)

// registerHealth registers the metrics of the database and of the storage of files.
func registerHealth(cfg config.Config, registry *prometheus.Registry, db *sqlstore.DB, ready *readiness, blobs *watchedBlobs) {
	registry.MustRegister(blobs.faults, poolMetrics{db}, diskMetrics(disks(cfg)),
		gauge("imprimatur_blobs_writable", "1 unless the last write to the storage of files failed.", nil, func() int64 {
			if blobs.failing() {
				return 0
			}
			return 1
		}),
		gauge("imprimatur_database_writable", "1 while the database is available, migrated and can be written.", nil, ready.writable),
	)
}

// poolMetrics collects the statistics of the connections to the database.
type poolMetrics struct{ db *sqlstore.DB }

var (
	poolLabels   = []string{"pool"}
	poolMax      = prometheus.NewDesc("imprimatur_database_connections_max", "Most connections of a pool: write, read, or watch for events.", poolLabels, nil)
	poolInUse    = prometheus.NewDesc("imprimatur_database_connections_in_use", "Connections of a pool that are in use.", poolLabels, nil)
	poolIdle     = prometheus.NewDesc("imprimatur_database_connections_idle", "Connections of a pool that are idle.", poolLabels, nil)
	poolWaits    = prometheus.NewDesc("imprimatur_database_waits_total", "How often a connection of a pool was waited for.", poolLabels, nil)
	poolWaitTime = prometheus.NewDesc("imprimatur_database_wait_seconds_total", "How long connections of a pool were waited for.", poolLabels, nil)
)

// Describe implements prometheus.Collector.
func (m poolMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{poolMax, poolInUse, poolIdle, poolWaits, poolWaitTime} {
		to <- desc
	}
}

// Collect implements prometheus.Collector.
func (m poolMetrics) Collect(to chan<- prometheus.Metric) {
	for name, s := range m.db.PoolStats() {
		to <- prometheus.MustNewConstMetric(poolMax, prometheus.GaugeValue, float64(s.Max), name)
		to <- prometheus.MustNewConstMetric(poolInUse, prometheus.GaugeValue, float64(s.InUse), name)
		to <- prometheus.MustNewConstMetric(poolIdle, prometheus.GaugeValue, float64(s.Idle), name)
		to <- prometheus.MustNewConstMetric(poolWaits, prometheus.CounterValue, float64(s.Waits), name)
		to <- prometheus.MustNewConstMetric(poolWaitTime, prometheus.CounterValue, s.Waited.Seconds(), name)
	}
}

// diskMetrics collects the space of file systems. The key says what is on one, the value is a folder there.
type diskMetrics map[string]string

// databaseDisk is the key of the file system of a SQLite database.
const databaseDisk = "database"

// disks returns the folders of the process.
func disks(cfg config.Config) map[string]string {
	folders := map[string]string{}
	if engine, path, err := cfg.Database(); err == nil && engine == config.SQLite {
		folders[databaseDisk] = filepath.Dir(path)
	}
	if folder, ok := strings.CutPrefix(cfg.BlobURL, "file:"); ok {
		folders["blobs"] = strings.TrimPrefix(folder, "//")
	}
	return folders
}

var (
	diskLabels = []string{"of"}
	diskFree   = prometheus.NewDesc("imprimatur_disk_free_bytes", "Free bytes of the file system of the SQLite database or of the files.", diskLabels, nil)
	diskSize   = prometheus.NewDesc("imprimatur_disk_size_bytes", "Size of the file system of the SQLite database or of the files.", diskLabels, nil)
)

// Describe implements prometheus.Collector.
func (m diskMetrics) Describe(to chan<- *prometheus.Desc) {
	to <- diskFree
	to <- diskSize
}

// Collect implements prometheus.Collector.
func (m diskMetrics) Collect(to chan<- prometheus.Metric) {
	for of, folder := range m {
		free, size, err := diskSpace(folder)
		if err != nil {
			continue // a missing value is better than a wrong one
		}
		to <- prometheus.MustNewConstMetric(diskFree, prometheus.GaugeValue, float64(free), of)
		to <- prometheus.MustNewConstMetric(diskSize, prometheus.GaugeValue, float64(size), of)
	}
}
