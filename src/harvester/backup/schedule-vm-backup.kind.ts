/** Annotation of a schedule: it may run at the time of another. @see harvester/harvester:pkg/util/constants.go AnnotationSVMBackupSkipCronCheck */
export const ANNOTATION_SKIP_CRON_CHECK = 'harvesterhci.io/svmbackupSkipCronCheck';
