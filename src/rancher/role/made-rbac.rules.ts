import { ONLY_RANCHER_MAKES, RBAC_KINDS, markOfRancher } from './made-rbac.facts';
import { rules } from '../../core/rule/kit/fact';
import { JudgedObject } from '../../core/rule/rule';

/** Rules on the roles and bindings of Kubernetes that Rancher makes. */
export const MADE_RBAC_RULES = rules({ kinds: RBAC_KINDS }, [
  {
    id: 'rbac/made-by-rancher',
    what: 'Kubernetes roles and bindings that Rancher creates from its own roles and members are declared only by these',
    source:
      'rancher/rancher:pkg/controllers/management/auth/crtb_handler.go, pkg/controllers/managementuser/rbac/handler_base.go; seen on Rancher 2.15.0',
    creation: true,
    judge: ({ manifest }: JudgedObject) => {
      const mark = markOfRancher(manifest);
      if (mark === undefined) {
        return undefined;
      }
      return {
        path: 'metadata.labels',
        message: `cannot contain the label ${mark}: ${ONLY_RANCHER_MAKES}`,
        fix: 'remove the object from the program, and declare the member or the role of Rancher; without this label, it is an object of yours',
      };
    },
  },
]);
