/** Annotation on a binding: the name that Rancher shows for a principal that has never logged in. @see rancher/rancher:pkg/controllers/management/auth/prtb_handler.go */
export const ANNOTATION_PRINCIPAL_DISPLAY_NAME = 'auth.cattle.io/principal-display-name';

/** Label on a ClusterRoleTemplateBinding that comes of a GlobalRoleBinding. @see rancher/webhook:pkg/resources/management.cattle.io/v3/clusterroletemplatebinding */
export const LABEL_GLOBAL_BINDING_OWNER = 'authz.management.cattle.io/grb-owner';

/** Name prefixes of bindings, as Rancher's UI gives them by generateName. @see rancher/webhook:pkg/resources/management.cattle.io/v3/projectroletemplatebinding/mutator.go */
export const BINDING_PREFIX = { project: 'prtb-', cluster: 'crtb-', global: 'grb-' } as const;
