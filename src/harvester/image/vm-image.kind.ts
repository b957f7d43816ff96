/** Annotation of an image: the StorageClass that its own is derived from. @see harvester/harvester:pkg/util/constants.go AnnotationStorageClassName */
export const ANNOTATION_IMAGE_STORAGE_CLASS = 'harvesterhci.io/storageClassName';

/** Label of an image: the content of its file, `raw_qcow2` or `iso`. @see harvester/harvester-ui-extension:pkg/harvester/config/labels-annotations.js */
export const LABEL_IMAGE_TYPE = 'harvesterhci.io/image-type';

/** Label of an image: its operating system, for the UI. @see harvester/harvester-ui-extension:pkg/harvester/config/labels-annotations.js */
export const LABEL_OS_TYPE = 'harvesterhci.io/os-type';

/** Label of an image that the server writes: its displayName. @see harvester/harvester:pkg/util/constants.go LabelImageDisplayName */
export const LABEL_IMAGE_DISPLAY_NAME = 'harvesterhci.io/imageDisplayName';

/** The StorageClass of an image before Harvester 1.8. @see harvester/harvester:pkg/util/storageclass.go GetImageStorageClassName */
export const imageClassByName = (image: string): string => `longhorn-${image}`;
