/**
 * Annotation on a Harvester Setting: the digest of the value that was acted on last.
 * @see harvester/harvester:pkg/controller/master/setting/handler.go
 */
export const ANNOTATION_SETTING_HASH = 'harvesterhci.io/hash';
