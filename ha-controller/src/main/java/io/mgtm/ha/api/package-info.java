/** What operators and programs ask a controller over HTTP; {@code openapi.json} describes it. */
package io.mgtm.ha.api;
