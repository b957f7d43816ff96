import { GLOBAL_DATA } from '../names';

/**
 * A credential as a NodeTemplate names it: Rancher takes what follows the one colon for a Secret in this namespace.
 * @see rancher/rancher:pkg/controllers/management/node/controller.go setCredFields
 */
export const CREDENTIAL_NAME = new RegExp(`^${GLOBAL_DATA}:[^:]+$`);
