/**
 * Objects that the recorder looked at too early: their last recorded state is not the last one. In
 * `three-tenants` of the older generation it looked once between the first and the second apply,
 * and again only at what the second apply changed.
 */
export const UNFINISHED: readonly string[] = [
  'management.cattle.io/v3/ProjectRoleTemplateBinding/c-m-harvdc01-web/prtb-kr5y643esd',
];
