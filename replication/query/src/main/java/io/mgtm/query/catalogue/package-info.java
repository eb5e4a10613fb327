/**
 * What is known of the schema of each database. {@link io.mgtm.query.catalogue.Catalogues} asks the
 * leader server for it, over the replicator's own role, and keeps it until somebody changes it;
 * sessions classify their statements by it. How the servers note which rows a transaction writes,
 * where a text does not tell, stands here too.
 */
package io.mgtm.query.catalogue;
